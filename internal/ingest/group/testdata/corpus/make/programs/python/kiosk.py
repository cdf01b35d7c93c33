import asyncio
import datetime
import json
import pathlib
import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
# NEW RELEASE


class Declined(Exception):
    pass


class Gone(Exception):
    pass


class Cart:
    def __init__(self, items):
        self.items = items

    def total(self):
        return sum(item["price"] for item in self.items)

    def ship(self, country):
        if country == "nowhere":
            raise Declined("cannot ship")
        if not self.items:
            raise Declined("cannot ship")
        return country

    @property
    def first(self):
        return self.items[0]


# NEW LINES
def audited(fn):
    @wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)
    return wrapper


@audited
def charge(amount):
    raise Declined("bank said no")


@audited
def refund(amount):
    raise Declined("bank said no")


def require(value, what):
    """A helper of the application's own."""
    if value is None:
        raise ValueError(f"{what} is missing")
    return value


def load_rates(path):
    return json.loads(pathlib.Path(path).read_text())


def parse_rates(text):
    return json.loads(text)


def parse_orders(text):
    return json.loads(text)


def order_gone(order):
    raise Gone(f"order {order} is gone")


def account_gone(account):
    raise Gone(f"account {account} is gone")


def gone(id):
    raise Gone(str(id))


def user_of(users, name):
    return users[name]


def price_of(prices, sku):
    return prices[sku]


def save(order):
    try:
        charge(order)
    except Declined as e:
        raise RuntimeError("saving failed") from e


def save_file(order):
    try:
        load_rates("/nowhere/rates.json")
    except OSError as e:
        raise RuntimeError("saving failed") from e


def save_both(order):
    try:
        charge(order)
    except Declined as e:
        raise RuntimeError(f"saving order {order} failed") from e


def save_wrapped(fn):
    """One place wraps whatever a step throws."""
    try:
        fn()
    except Exception as e:
        raise RuntimeError("step failed") from e


def deep(n):
    if n == 0:
        raise Gone("bottom")
    return deep(n - 1)


def endless(n):
    return endless(n + 1)


def in_pool(fn, *args):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(fn, *args).result()


async def fetch(order):
    await asyncio.sleep(0)
    raise TimeoutError(f"no answer for order {order} after {order % 7 + 3}.01s")


async def stock(order):
    await asyncio.sleep(0)
    raise TimeoutError(f"no answer for order {order} after {order % 7 + 3}.01s")


def wait_for(fn, order):
    asyncio.run(fn(order))


async def group_of(*fns):
    async with asyncio.TaskGroup() as group:
        for fn in fns:
            group.create_task(fn(1))


def run_group(*fns):
    asyncio.run(group_of(*fns))


def pay_lambda(kind):
    steps = {
        "card": lambda o: o["card"]["number"],
        "bank": lambda o: o["bank"]["iban"],
    }
    return steps[kind]({})


def twice(n):
    first = 10 / (n - 1)
    second = 10 / (n - 2)
    return first + second


def convert(text):
    return int(text)


def convert_day(text):
    return datetime.date.fromisoformat(text)


def pickle_cart():
    import pickle
    return pickle.dumps(lambda: 1)


def no_attribute():
    return object().price


def no_method(value):
    return value.total()


def http(status):
    what = "Client Error: Payment Required" if status < 500 else "Server Error: Service Unavailable"
    raise Declined(f"{status} {what} for url: https://bank.example/charge/{uuid.uuid4()}")


def errno(path):
    open(path)


def empty():
    raise Declined()


def empty_assert(value):
    assert value


def empty_assert_too(value):
    assert value


def call(fn, *args):
    return partial(fn, *args)()
