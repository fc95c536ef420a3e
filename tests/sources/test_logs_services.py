"""Whose line it is: fields, programs, file and folder names, and what a wanted name means."""

from pathlib import Path

import pytest

from tests.sources.logs_folder import LogFolder
from tools.logs.folder import names_of, service_of
from tools.logs.services import Meant, meant_by

AT = "2025-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("path", "service"),
    [
        ("user-api/user-api.log", "user-api"),
        ("ts-basic-service-5dc8d4f9fd-46997.log", "ts-basic-service"),
        ("redis-0.log", "redis"),
        ("web-6cdbf9b4cc-h7mqk_shop_nginx-" + "0" * 64 + ".log", "nginx"),
        ("gateway.log.1.gz", "gateway"),
        ("gateway-2025-01-01.log", "gateway"),
        ("gateway.log.20250101", "gateway"),
        ("billing/app.log", "billing"),
        ("billing/logs/stdout.log.2", "billing"),
        ("pods/shop_cart-7b6dc75c45-2z9p2_1/cart/0.log", "cart"),
        ("order-service-processors-batch.log", "order-service-processors-batch"),
        ("Hadoop_2k.log", "Hadoop_2k"),
        ("app.log", "app.log"),
    ],
)
def test_a_file_is_named_after_its_service(path: str, service: str) -> None:
    assert service_of(path) == service
    assert service in names_of(path)


FILES = {
    1: ["Hadoop_2k", "loghub"],
    2: ["Mac_2k", "loghub"],
    3: ["payment-service", "payment-service"],
}
STATED = ["sshd", "kernel", "payment-service", "ts-payment-service", "orders", "orders-eu", "a"]


@pytest.mark.parametrize(
    ("wanted", "services", "files"),
    [
        ("payment-service", ["payment-service"], [3]),
        ("PAYMENT-Service", ["payment-service"], [3]),
        ("payment-service-5dc8d4f9fd-46997", ["payment-service"], [3]),
        ("payment", ["payment-service", "ts-payment-service"], [3]),
        ("hadoop", [], [1]),
        ("mac", [], [2]),
        ("loghub", [], [1, 2]),
        ("the orders service", ["orders"], []),
        ("the orders-eu service", ["orders-eu"], []),
        ("pay", [], []),
        ("order", [], []),
        ("a service", [], []),
        ("*", [], []),
        (".*", [], []),
        ("../../etc", [], []),
        ("/etc/passwd", [], []),
        ("x" * 200, [], []),
    ],
)
def test_exact_names_win_then_words_inside(
    wanted: str, services: list[str], files: list[int]
) -> None:
    assert meant_by(wanted, STATED, FILES) == Meant(services, files)


async def test_lines_say_their_service_in_fields_programs_or_by_file(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path)
    lines = {
        "cart": f'{{"time":"{AT}","service":"cart","msg":"x"}}',
        "checkout": f'{{"time":"{AT}","app":"checkout","msg":"x"}}',
        "stock": f'{{"time":"{AT}","service":{{"name":"stock"}},"msg":"x"}}',
        "shop": f'{{"time":"{AT}","kubernetes":{{"labels":{{"app":"shop"}}}},"msg":"x"}}',
        "Case": f'{{"time":"{AT}","Service":"Case","msg":"x"}}',
        "mail": f"ts={AT} service=mail msg=x",
        "sshd": "Dec 10 10:54:27 LabSZ sshd[1]: x",
        "crond": "Jun 14 15:16:01 combo crond(pam_unix)[19939]: x",
        "logrotate": "Jun 15 04:06:20 combo logrotate: ALERT exited",
        "Microsoft Word": "Jul  4 23:22:09 host Microsoft Word[14463]: x",
        "rsyslogd": f"{AT} host rsyslogd[7]: x",
        "mixed": f'{{"time":"{AT}","service":["x"],"msg":"a list is no name"}}',
    }
    folder.write("mixed.log", "\n".join(lines.values()))
    named = (
        {facts.name for facts in folder.tool._index.services()}
        if await folder.ask(keyword="x")
        else set()
    )
    assert named == set(lines)
    for number, service in enumerate(lines, 1):
        if service != "mixed":
            assert await folder.sources(service=service) == [f"mixed.log:{number}"]


async def test_an_unknown_service_is_an_empty_result(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path)
    folder.write("cart.log", f"{AT} INFO up\n")
    result = await folder.ask(service="no-such-service")
    assert (result.evidence, result.total, result.truncated) == ([], 0, False)
