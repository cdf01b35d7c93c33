"""Tasks of a shop, for Celery."""
# NEW RELEASE
from celery import Celery

app = Celery("shop", broker="memory://", backend="cache+memory://")
app.conf.task_always_eager = True
app.conf.task_eager_propagates = True


class Bounced(Exception):
    pass


def send(address):
    raise Bounced(f"mailbox {address} does not exist")


@app.task
def welcome(address):
    send(address)


@app.task
def remind(address):
    send(address)


# NEW LINES
@app.task
def sync(shop):
    try:
        raise TimeoutError(f"shop {shop} did not answer")
    except TimeoutError as e:
        raise ConnectionError("sync failed") from e


@app.task
def ship(shop):
    try:
        raise PermissionError(f"shop {shop} refused the key")
    except PermissionError as e:
        raise ConnectionError("sync failed") from e


@app.task
def report(rows):
    return sum(r["total"] for r in rows)


@app.task
def export(rows):
    return [r["name"].upper() for r in rows]
