"""Scores diagnoses against cases with known outcomes, over any case file and data folder.

    cases     what a case expects
    runner    each case once through the compiled graph
    citations quotes that really stand in the canonical records, and what must be cited
    claims    causes that must not be claimed
    scoring   one run against one case; totals
    report    the table and the JSON
    perturb   the same cases and data under other names, ids and times

    python -m graph.evaluation CASES.jsonl --data FOLDER [--json]

The data folder holds `logs/`, `knowledge/` and `db/*.sql`; all scripts load into one SQLite file.
Importing this package does no I/O; the graph and the table are loaded when they are used.
"""
