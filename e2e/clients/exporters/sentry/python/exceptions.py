"""A shop that fails, and reports it with the Sentry SDK."""
import logging
import os
import threading

import flask
import sentry_sdk

refused = []  # what the server answered with an error


class Transport(sentry_sdk.transport.HttpTransport):
    def on_dropped_event(self, reason):
        refused.append(reason)


class Refused(Exception):
    pass


def charge(order):
    password = "swordfish"
    try:
        return {}["card"]
    except KeyError as e:
        raise Refused(f"payment refused for order {order}") from e


sentry_sdk.init(
    dsn=os.environ["SENTRY_DSN"], environment="staging", release="shop@4f2a9c1", server_name="web-1", transport=Transport, traces_sample_rate=1.0,
)
sentry_sdk.set_user({"id": "7", "email": "ann@example.test"})
sentry_sdk.set_tag("plan", "gold")
sentry_sdk.set_context("order", {"number": 42})
try:
    charge(42)
except Refused as e:
    charged = sentry_sdk.capture_exception(e)

sentry_sdk.capture_exception(ExceptionGroup("no shop answers", [OSError("first shop"), EOFError("second shop")]))
sentry_sdk.capture_event({"type": "feedback", "level": "info", "contexts": {"feedback": {
    "message": "I cannot pay.", "name": "Ines", "contact_email": "ines@example.test", "associated_event_id": charged,
}}})

for order in 1, 2:
    logging.getLogger("shop.stock").error("order %s is out of stock", order)

app = flask.Flask("shop")


@app.route("/orders/<int:number>", methods=["POST"])
def pay(number):
    raise TimeoutError(f"order {number} waits for the bank")


app.test_client().post("/orders/42?coupon=spring", json={"card": "4111111111111111", "note": "gift"}, headers={"User-Agent": "shopper"})

with sentry_sdk.new_scope() as scope:
    scope.fingerprint = ["nightly", "import"]
    for line in 1, 2:
        sentry_sdk.capture_exception(ValueError(f"line {line} is not a price"))


def work():
    raise LookupError("the basket is empty")


thread = threading.Thread(target=work, name="packer")
thread.start()
thread.join()


@sentry_sdk.monitor(monitor_slug="nightly-import", monitor_config={
    "schedule": {"type": "crontab", "value": "*/5 * * * *"}, "timezone": "Europe/Vienna", "checkin_margin": 3, "max_runtime": 10,
})
def nightly():
    pass


nightly()
sentry_sdk.flush(timeout=20)
if refused:
    raise SystemExit(f"events were dropped: {refused}")
