"""What counts as verified progress, and what becomes a limitation instead (C6)."""

import pytest

from release.snapshot import (
    MAX_FACTS,
    MAX_SOURCES_PER_FACT,
    CheckedFact,
    Gap,
    GapKind,
    project_snapshot,
)
from tests.release_rules.records import LINE, RUN, empty, knowledge, record, snapshot

UNREADABLE = Gap(GapKind.UNREADABLE)


def test_nothing_collected_is_no_progress():
    # C6
    none = snapshot()
    assert (none.facts, none.limitations, none.records, none.verified) == ((), (), {}, False)


def test_a_ready_record_is_a_fact_with_its_objective_summary():
    # C6: source, actual scope, objective summary, truncated
    one = record("a", truncated=True, total=90)
    projected = snapshot(one)
    assert projected.facts == (
        CheckedFact(
            tool="query_logs",
            scope={"service": "tenant"},
            found=True,
            shown=1,
            total=90,
            truncated=True,
            factual=True,
            reference_only=False,
            sources=("tenant.log:7",),
        ),
    )
    assert projected.records == {"call-a": one}
    assert projected.limitations == ()
    assert projected.verified


def test_an_empty_result_is_verified_progress():
    # C6: empty results included
    projected = snapshot(empty("a"))
    assert projected.verified
    (fact,) = projected.facts
    assert (fact.found, fact.shown, fact.total, fact.sources) == (False, 0, 0, ())


def test_knowledge_is_marked_as_no_fact_of_the_incident():
    # C6.2
    (fact,) = snapshot(knowledge("a")).facts
    assert (fact.factual, fact.reference_only) == (False, True)
    (direct,) = snapshot(knowledge("a") | {"relevance_level": "DIRECT"}).facts
    assert (direct.factual, direct.reference_only) == (False, False)


@pytest.mark.parametrize("stop_reason", [None, "INFORMATION_SATURATED", "BUDGET_LIMIT_REACHED"])
def test_the_stop_reason_is_kept(stop_reason):
    # C6
    assert snapshot(record("a"), stop_reason=stop_reason).stop_reason == stop_reason


@pytest.mark.parametrize(
    ("stored", "gap"),
    [
        (None, UNREADABLE),
        (record("a", run_id="run-2"), UNREADABLE),
        (record("a", run_id="run-2", status="ERROR", error_code="X"), UNREADABLE),
        (record("b"), UNREADABLE),
        (record("a", status="STARTED"), Gap(GapKind.UNFINISHED, "query_logs")),
        (
            record("a", status="ERROR", error_code="LOGS_UNREADABLE"),
            Gap(GapKind.SOURCE_FAILED, "query_logs", "LOGS_UNREADABLE"),
        ),
        (
            record("a", status="ERROR", error_code=None),
            Gap(GapKind.SOURCE_FAILED, "query_logs", "SOURCE_FAILED"),
        ),
        (
            record("a", status="ERROR", error_code="mysql://root:pw@db said no"),
            Gap(GapKind.SOURCE_FAILED, "query_logs", "SOURCE_FAILED"),
        ),
    ],
    ids=[
        "missing",
        "foreign",
        "foreign error",
        "other key",
        "unfinished",
        "error",
        "no code",
        "text",
    ],
)
def test_what_is_not_ready_and_ours_is_a_limitation_and_no_fact(stored, gap):
    # C6
    projected = project_snapshot(["a"], {"a": stored}, run_id=RUN, stop_reason=None)
    assert projected.limitations == (gap,)
    assert (projected.facts, projected.records, projected.verified) == ((), {}, False)


def test_a_key_the_store_was_not_asked_for_is_a_limitation():
    # C6
    projected = project_snapshot(["a"], {}, run_id=RUN, stop_reason=None)
    assert projected.limitations == (UNREADABLE,)


def test_facts_stand_in_execution_order_each_once():
    # C6
    found = {key: record(key, tool=key) for key in "abc"}
    projected = project_snapshot(["c", "a", "c", "b"], found, run_id=RUN, stop_reason=None)
    assert [fact.tool for fact in projected.facts] == ["c", "a", "b"]
    assert list(projected.records) == ["call-c", "call-a", "call-b"]
    assert projected.limitations == ()


def test_records_not_named_in_progress_are_no_facts():
    # C6
    found = {key: record(key) for key in "ab"}
    assert list(project_snapshot(["b"], found, run_id=RUN, stop_reason=None).records) == ["call-b"]


def test_one_bad_record_does_not_hide_the_others():
    # C6
    projected = snapshot(record("a", status="STARTED"), record("b"), record("c", run_id="run-2"))
    assert [list(projected.records), len(projected.facts)] == [["call-b"], 1]
    assert projected.limitations == (Gap(GapKind.UNFINISHED, "query_logs"), UNREADABLE)
    assert projected.verified


def test_limitations_of_one_kind_are_named_once():
    projected = project_snapshot(["a", "b"], {}, run_id=RUN, stop_reason=None)
    assert projected.limitations == (UNREADABLE,)


def test_two_records_under_one_id_leave_no_citation_ambiguous():
    # open-webui 28305: no observation overwritten
    projected = snapshot(record("a"), record("b", tool_call_id="call-a", evidence=[]))
    assert projected.records["call-a"]["key"] == "a"
    assert (len(projected.facts), projected.limitations) == (1, (UNREADABLE,))


@pytest.mark.parametrize(
    ("count", "gaps"), [(MAX_FACTS, ()), (MAX_FACTS + 1, (Gap(GapKind.NOT_LISTED),))]
)
def test_facts_are_bounded_and_records_stay_citable(count, gaps):
    # C6: bounded
    projected = snapshot(*(record(f"k{number}") for number in range(count)))
    assert len(projected.facts) == MAX_FACTS
    assert len(projected.records) == count
    assert projected.limitations == gaps


def test_a_source_summary_is_not_counted_as_evidence_shown():
    # "counts and rows that disagree"
    items = [
        {"id": "e1", "source": "query_logs: summary", "text": "shown 2 of 9"},
        {"id": "e2", "source": "a.log:1", "text": LINE},
        {"id": "e3", "source": "a.log:1", "text": LINE},
    ]
    (fact,) = snapshot(record("a", evidence=items, total=9, truncated=True)).facts
    assert (fact.shown, fact.total, fact.sources) == (2, 9, ("a.log:1",))


def test_sources_are_distinct_and_bounded():
    items = [{"id": f"e{n}", "source": f"a.log:{n}", "text": LINE} for n in range(1, 9)]
    (fact,) = snapshot(record("a", evidence=items)).facts
    assert fact.sources == tuple(f"a.log:{n}" for n in range(1, MAX_SOURCES_PER_FACT + 1))
    assert fact.shown == 8


def test_a_snapshot_cannot_be_changed():
    projected = snapshot(record("a"))
    with pytest.raises(TypeError):
        projected.records["call-b"] = record("b")
    with pytest.raises(AttributeError):
        projected.facts = ()
