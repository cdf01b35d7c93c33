"""A shop with Django and Celery that fails, and reports it with the Sentry SDK."""
import os
import threading
import urllib.error
import urllib.request
import wsgiref.simple_server

import celery
import django.conf
import django.core.wsgi
import django.urls
import sentry_sdk


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *args):
        pass


def pay(request, number):
    raise TimeoutError(f"order {number} waits for the bank")


sentry_sdk.init(dsn=os.environ["SENTRY_DSN"], environment="staging", release="shop@4f2a9c1", send_default_pii=True, traces_sample_rate=1.0)
urlpatterns = [django.urls.path("orders/<int:number>/", pay, name="pay")]
django.conf.settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY="for tests only", LOGGING_CONFIG=None)

import celery.contrib.testing.worker  # noqa: E402, as `celery worker` does: after the program that it runs has set up the SDK

app = celery.Celery("shop", broker="memory://", backend="cache+memory://")


@app.task(name="shop.pack")
def pack(number):
    raise LookupError(f"order {number} has no box")


server = wsgiref.simple_server.make_server("127.0.0.1", 0, django.core.wsgi.get_wsgi_application(), handler_class=Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
order = urllib.request.Request(f"http://127.0.0.1:{server.server_port}/orders/42/?coupon=spring", headers={"User-Agent": "shopper"})
try:
    urllib.request.urlopen(order)
    raise SystemExit("the order was paid")
except urllib.error.HTTPError as answer:
    if answer.code != 500:
        raise

with celery.contrib.testing.worker.start_worker(app, pool="solo", perform_ping_check=False):
    result = pack.delay(43)
    try:
        result.get(timeout=20)
        raise SystemExit("the order was packed")
    except LookupError:
        pass
sentry_sdk.flush(timeout=20)
