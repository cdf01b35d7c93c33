"""Reports the errors of a shop: shop.py DSN."""
import sys

import sentry_sdk


def charge(order):
    raise ValueError(f"order {order} cannot be paid")


def refund(order):
    raise ValueError(f"order {order} cannot be paid")


def pack(order):
    try:
        {}["box"]
    except KeyError as missing:
        raise RuntimeError("nothing to pack") from missing


def ship(order):
    with sentry_sdk.new_scope() as scope:
        scope.fingerprint = ["carrier", "{{ default }}"]
        scope.set_tag("carrier", "post")
        sentry_sdk.capture_exception(ConnectionError("carrier does not answer"))


def report(call, order):
    try:
        call(order)
    except Exception as error:
        sentry_sdk.capture_exception(error)


for environment in ("production", "staging"):
    sentry_sdk.init(sys.argv[1], environment=environment, release="shop@1.2.0", auto_session_tracking=False, default_integrations=False)
    for number, call in enumerate((charge, charge, refund, pack, ship)):
        report(call, 41 + number)
    sentry_sdk.capture_message("stock is low", level="warning")
    sentry_sdk.flush(10)
