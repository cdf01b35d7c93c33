"""A shop that fails more often than the server stores errors of it in a minute. The clock of the SDK is set ahead, to see until when it waits."""
import datetime
import os

import sentry_sdk
import sentry_sdk.transport


class Clock(datetime.datetime):
    ahead = datetime.timedelta()

    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.now(tz) + cls.ahead


def fail(message):
    sentry_sdk.capture_exception(RuntimeError(message))
    sentry_sdk.flush(timeout=20)


sentry_sdk.transport.datetime = Clock
sentry_sdk.init(dsn=os.environ["SENTRY_DSN"], _experiments={"transport_compression_algo": "gzip"})
transport = sentry_sdk.get_client().transport
for n in range(20):
    fail(f"first {n}")
    if transport._check_disabled("error"):
        break
else:
    raise SystemExit("the SDK was never limited")
for n in range(20):
    fail(f"limited {n}")
wait = transport._disabled_until["error"] - datetime.datetime.now(datetime.timezone.utc)
print(round(wait.total_seconds()))
Clock.ahead = wait - datetime.timedelta(seconds=2)
fail("before the end")
Clock.ahead = wait + datetime.timedelta(seconds=2)
fail("after the end")
