"""Writes golden.json.gz: when an independent program would run cron jobs, for TestCronAgreesWithCronsim.

    python3 -m venv /tmp/cronsim
    /tmp/cronsim/bin/pip install cronsim==2.8 tzdata==2025.3
    /tmp/cronsim/bin/python internal/cron/testdata/remake.py

cronsim is the evaluator of Healthchecks and follows Debian's cron. The rules of the zones are those of the tzdata wheel
(IANA 2025c) and are written to the file as well, so that both sides read the same bytes, whatever the machine has. Times
are seconds since 1970: the first one, then how much later each next one is, as SECONDS*HOW_OFTEN.
"""

import base64
import gzip
import importlib.resources
import io
import itertools
import json
import pathlib
from datetime import datetime, timezone
from importlib.metadata import version
from multiprocessing import Pool
from zoneinfo import ZoneInfo

from cronsim import CronSim

UTC = timezone.utc

ZONES = """
UTC America/New_York America/Los_Angeles America/St_Johns America/Havana America/Santiago America/Asuncion America/Nuuk
America/Scoresbysund America/Sao_Paulo Atlantic/Azores Europe/London Europe/Dublin Europe/Berlin Europe/Chisinau
Africa/Casablanca Africa/Cairo Asia/Beirut Asia/Gaza Asia/Jerusalem Asia/Tehran Asia/Kolkata Asia/Kathmandu Asia/Tokyo
Australia/Sydney Australia/Lord_Howe Pacific/Auckland Pacific/Chatham Pacific/Apia Antarctica/Troll
""".split()

SCHEDULES = """
0 0 * * *
30 0 * * *
15 1 * * *
30 1 * * *
0 2 * * *
30 2 * * *
15,45 2 * * *
5,35 1 * * *
0 2,3 * * *
30 2,3 * * *
0-59/10 0-3 * * *
0 3 * * *
59 23 * * *
45 23,0,1 * * *
0 4 * * 0
0 2 * * 7
30 2 * * sun
20 1-4 * 3,10 *
0 9-17 * * mon-fri
0 0-23/6 * * *
0 0 1 * *
0 0 L * *
15 2 L 3,10 *
0 12 15,L * *
0 0 13 * 5
0 0 13 * */5
30 6 */10 * *
0 8 1-7 * */1
0 8 1-7 * 1
0 5 * * 1#1
0 5 * * 5#3
0 5 * * fri#5
0 1 * 3,10 7L
0 1 * * 0L,3L
30 4 1 1,4,7,10 *
30 12 29 2 *
0 22 * nov-dec *
0 * * * *
30 * * * *
0 */2 * * *
* 2 1-8 3,11 *
*/10 0-3 * 3,4,9,10,11 *
*/15 * 24-31 3,10 *
* 0,1 5-8 4,9 0
*/30 1,2 * * *
7 */8 * * 6
*/20 23 L * *
""".strip().splitlines()


def seconds(year: int, month: int, day: int) -> int:
    return int(datetime(year, month, day, tzinfo=UTC).timestamp())


YEARS = (seconds(2025, 1, 1), seconds(2028, 1, 1))
SAMOA_JUMPS = (seconds(2011, 9, 1), seconds(2012, 5, 1))


def rules(zone: str) -> bytes:
    return importlib.resources.files("tzdata").joinpath("zoneinfo", *zone.split("/")).read_bytes()


def times(schedule: str, zone: str, begin: int, end: int):
    tz = UTC if zone == "UTC" else ZoneInfo.from_file(io.BytesIO(rules(zone)), zone)
    for at in CronSim(schedule, datetime.fromtimestamp(begin - 1, tz)):
        second = int(at.astimezone(UTC).timestamp())
        if second >= end:
            return
        yield second


def packed(found) -> str:
    found = list(found)
    steps = [b - a for a, b in itertools.pairwise(found)]
    return " ".join([str(s) for s in found[:1]] + [f"{step}*{len(list(same))}" for step, same in itertools.groupby(steps)])


def run(job) -> dict:
    schedule, zone, (begin, end) = job
    return {"schedule": schedule, "zone": zone, "begin": begin, "end": end, "times": packed(times(schedule, zone, begin, end))}


def main() -> None:
    jobs = [(schedule, zone, YEARS) for zone in ZONES for schedule in SCHEDULES]
    jobs += [(schedule, "Pacific/Apia", SAMOA_JUMPS) for schedule in SCHEDULES]
    with Pool() as pool:
        golden = {
            "cronsim": version("cronsim"),
            "tzdata": version("tzdata"),
            "rules": {zone: base64.b64encode(rules(zone)).decode() for zone in ZONES},
            "runs": pool.map(run, jobs, chunksize=4),
        }
    text = json.dumps(golden, indent=0).encode()
    pathlib.Path(__file__).with_name("golden.json.gz").write_bytes(gzip.compress(text, mtime=0))


if __name__ == "__main__":
    main()
