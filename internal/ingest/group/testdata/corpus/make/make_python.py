"""python.jsonl, django.jsonl and celery.jsonl: the programs below programs/, with Sentry's client for Python.
Needs sentry-sdk, django and celery, and sentry-sdk in two more versions of Python.
usage: make_python.py 3.10=PYTHON 3.13=PYTHON"""
from python_program import Program

python = Program("python", "kiosk.py")
python.add("shift", "line shift", "Imports and constants were added above; the function is the same.",
    ["1.0 charge(5)", "1.1 charge(5)", "1.2 charge(5)"], ["1.0 refund(5)", "1.1 refund(5)"])
python.add("shift-method", "line shift", "Lines were added above the class.", ["1.0 Cart([{}]).total()", "1.1 Cart([{}]).total()"], ["1.0 Cart([]).first", "1.1 Cart([]).first"])
python.add("shift-helper", "line shift", "A helper and its caller moved.", ["1.0 deep(2)", "1.2 deep(2)"], ["1.0 endless(1)", "1.2 endless(1)"])
python.add("two-places", "two places", "One function raises the same text in two branches; each has a condition of its own to fix.",
    ["1.0 Cart([1]).ship('nowhere')", "1.0b Cart([1]).ship('nowhere')"], ["1.0 Cart([]).ship('here')", "1.0b Cart([]).ship('here')"])
python.add("two-lines", "two places", "Two divisions of one function fail for two inputs.", ["1.0 twice(1)", "1.0b twice(1)"], ["1.0 twice(2)", "1.0b twice(2)"])
python.add("roots", "release path", "The same release in a directory by time, in a container and in a temporary directory.",
    ["1.0 charge(5)", "docker charge(5)", "tmp charge(5)"], ["1.0 user_of({}, 'ann')", "docker user_of({}, 'ann')"])
python.add("lambda", "generated name", "Two lambdas of one function: each has its own bug.", ["1.0 pay_lambda('card')", "1.0b pay_lambda('card')"], ["1.0 pay_lambda('bank')", "1.0b pay_lambda('bank')"])
python.add("ids", "ids in message", "Only the id of the order differs.", ["1.0 order_gone(4711)", "1.0 order_gone('8c1f7e52-07f4-4b0e-a0a1-2a6c3f4b7a11')", "1.0 order_gone('ord_9sK2mQ7x')"],
    ["1.0 account_gone(4711)", "1.0 account_gone('acct_1LmZ0k2eZvKYlo')"])
python.add("key", "ids in message", "KeyError with the key that a customer asked for.", ["1.0 user_of({}, 'ann')", "1.0 user_of({}, 'bob@example.org')"], ["1.0 price_of({}, 'SKU-17')", "1.0 price_of({}, 'SKU-99')"])
python.add("http", "codes in message", "One call of a bank's API: 402 is a declined card, 503 is an outage of the bank. A developer acts differently.",
    ["1.0 http(402)", "1.0 http(402) # again"], ["1.0 http(503)", "1.0 http(503) # again"])
python.add("errno", "codes in message", "errno 2 is a missing file, errno 21 a directory in its place: two causes in one line.",
    ["1.0 errno('/nowhere/a.csv')", "1.0 errno('/nowhere/b.csv')"], ["1.0 errno('/tmp')", "1.0 errno('/usr')"])
python.add("require", "helper on top", "The application's own assertion helper raises for whatever its callers lack.",
    ["1.0 require(None, 'the street')", "1.0b require(None, 'the street')"], ["1.0 require(None, 'the currency')", "1.0b require(None, 'the currency')"])
python.add("json", "helper on top", "json.loads fails in the library; the callers of the application differ.",
    ["1.0 parse_rates('{')", "1.0 parse_rates('[1,]')"], ["1.0 parse_orders('{')", "1.0 parse_orders('')"])
python.add("cause", "wrapper and cause", "The same wrapper text, but a declined card in one case and a missing file in the other.",
    ["1.0 save_wrapped(lambda: charge(1))", "1.0b save_wrapped(lambda: charge(1))"], ["1.0 save_wrapped(lambda: load_rates('/nowhere/rates.json'))", "1.0b save_wrapped(lambda: load_rates('/nowhere/rates.json'))"])
python.add("cause-place", "wrapper and cause", "The wrapper is raised in two functions with the same text.", ["1.0 save(1)", "1.0 save(2)"], ["1.0 save_file(1)", "1.0 save_file(2)"])
python.add("cause-ids", "wrapper and cause", "Only the order in the wrapper's text differs.", ["1.0 save_both(1)", "1.0 save_both(77)", "1.0b save_both(5)"])
python.add("group", "members of a group", "An ExceptionGroup says nothing by itself; its members are the errors.",
    ["1.0 run_group(fetch)", "1.0b run_group(fetch)"], ["1.0 run_group(stock)", "1.0b run_group(stock)"])
python.add("group-count", "members of a group", "The group has one member or two of the same error.", ["1.0 run_group(fetch)", "1.0 run_group(fetch, fetch)"])
python.add("async", "async frames", "Coroutines fail beneath asyncio; the order and the time in the text differ.",
    ["1.0 wait_for(fetch, 1)", "1.0 wait_for(fetch, 5)", "1.0b wait_for(fetch, 12)"], ["1.0 wait_for(stock, 1)", "1.0 wait_for(stock, 5)"])
python.add("pool", "async frames", "A call through a thread pool has the pool's frames below it.", ["1.0 in_pool(charge, 1)", "1.0b in_pool(charge, 1)"], ["1.0 in_pool(refund, 1)", "1.0b in_pool(refund, 1)"])
python.add("depth", "recursion depth", "The same bottom was reached at another depth.", ["1.0 deep(1)", "1.0 deep(4)", "1.0 deep(60)"], ["1.0 endless(1)", "1.0b endless(1)"])
python.add("address", "addresses", "The text has the address of an object.", ["1.0 no_method(object())", "1.0 no_method(object()) # again", "1.0b no_method(object())"], ["1.0 no_attribute()", "1.0b no_attribute()"])
python.add("pickle", "addresses", "What cannot be pickled is written with its address.", ["1.0 pickle_cart()", "1.0 pickle_cart() # again", "1.0b pickle_cart()"])
python.add("empty", "empty title", "The exceptions have no text; only the places tell them apart.", ["1.0 empty()", "1.0b empty()"], ["1.0 empty_assert(0)", "1.0b empty_assert(0)"], ["1.0 empty_assert_too(0)", "1.0b empty_assert_too(0)"])
python.add("value", "words in message", "Values of customers in the text of a conversion.", ["1.0 convert('twelve')", "1.0 convert('n/a')"], ["1.0 convert_day('tomorrow')", "1.0 convert_day('2026-13-01')"])
python.add("type", "words in message", "The type on which a method is missing is a value of the caller, of one bug: total() is called on what is no cart.",
    ["1.0 no_method(None)", "1.0b no_method(None)"], ["1.0 no_attribute()", "1.0 no_attribute() # again"])
python.add("versions", "other version of runtime", "One program under three versions of Python; texts and frames of the library change.",
           ["3.10 in_pool(charge, 1)", "1.0 in_pool(charge, 1)", "3.13 in_pool(charge, 1)"], ["3.10 in_pool(refund, 1)", "1.0 in_pool(refund, 1)", "3.13 in_pool(refund, 1)"])
python.add("versions-library", "other version of runtime", "json words its errors differently from 3.13 on; the bad file is the same.",
           ["1.0 parse_rates('[1,]')", "3.13 parse_rates('[1,]')"], ["1.0 parse_orders('{')", "3.13 parse_orders('{')"])
python.add("versions-text", "other version of runtime", "Python words what has no attribute differently.",
           ["3.10 no_attribute()", "3.13 no_attribute()"], ["3.10 errno('/nowhere/a.csv')", "3.13 errno('/nowhere/a.csv')"])
python.add("versions-depth", "other version of runtime", "The deepest call of an endless recursion.", ["3.10 endless(1)", "3.13 endless(1)"], ["3.10 deep(5)", "3.13 deep(5)"])
python.write()

django = Program("django", "shop.py")
django.add("shift", "line shift", "Imports were added above the views.", ["1.0 /checkout/", "1.1 /checkout/", "1.2 /checkout/"], ["1.0 /basket/", "1.2 /basket/"])
django.add("key", "helper on top", "Two views read a parameter that was not sent; the error is raised in Django.", ["1.0 /checkout/", "1.0b /checkout/"], ["1.0 /basket/", "1.0b /basket/"])
django.add("integrity", "helper on top", "Two views break the same constraint, each must check first; the frames on top are Django's.",
           ["1.0 /register/ann@example.org/", "1.0 /register/bo@example.net/"], ["1.0 /invite/ann@example.org/", "1.0 /invite/bo@example.net/"])
django.add("missing", "helper on top", "get() in two views raises the same class and text.", ["1.0 /orders/17/", "1.0 /orders/4711/"], ["1.0 /orders/17/invoice/", "1.0 /orders/99/invoice/"])
django.add("models", "helper on top", "DoesNotExist of two models in two views.", ["1.0 /orders/17/", "1.0b /orders/18/"], ["1.0 /customers/x@example.org/", "1.0b /customers/y@example.org/"])
django.add("table", "wrapper and cause", "Django wraps the database's error; the cause has the same text. The names are of tables that were not migrated.",
           ["1.0 /tables/daily/", "1.0b /tables/daily/"], ["1.0 /columns/colour/", "1.0b /columns/colour/"])
django.add("template", "codes in message", "TemplateDoesNotExist of two templates: the name is the news, as each file is missing on its own.",
           ["1.0 /pages/terms/", "1.0b /pages/terms/"], ["1.0 /pages/contact/", "1.0b /pages/contact/"])
django.add("url", "codes in message", "NoReverseMatch of two names of routes.", ["1.0 /links/help/", "1.0b /links/help/"], ["1.0 /links/about/", "1.0b /links/about/"])
django.add("compiled", "compiled template", "A tag in a template raises; frames are of Django's template engine and the view.", ["1.0 /receipts/1/", "1.0 /receipts/2/", "1.0b /receipts/3/"], ["1.0 /links/nowhere/", "1.0b /links/nowhere/"])
django.add("roots", "release path", "One release in three directories.", ["1.0 /customers/x@example.org/", "docker /customers/z@example.org/", "tmp /customers/x@example.org/"], ["1.0 /basket/", "docker /basket/"])
django.write()

celery = Program("celery", "tasks.py")
celery.add("shift", "line shift", "Lines were added above the tasks.", ["1.0 report [{}]", "1.1 report [{}]", "1.2 report [{}]"], ["1.0 export [{}]", "1.1 export [{}]"])
celery.add("generator", "generated name", "A comprehension and a generator are frames of their own, named by the runtime.", ["1.0 report [{}]", "1.0b report [{}]"], ["1.0 export [{}]", "1.0b export [{}]"])
celery.add("ids", "ids in message", "The address is of the customer; the helper is the place to fix.", ['1.0 welcome "ann@example.org"', '1.0 welcome "bo.li@mail.example.net"', '1.0 welcome "c+x@example.com"'],
           ['1.0 sync 17'])
celery.add("cause", "wrapper and cause", "Two tasks wrap two causes in one text: no answer of a shop, and a refused key.",
           ["1.0 sync 17", "1.0 sync 99", "1.0b sync 4"], ['1.0 ship "x-1"', '1.0 ship "y-2"', '1.0b ship 5'])
celery.add("roots", "release path", "Two directories of releases.", ["1.0 export [{}]", "tmp export [{}]"], ["1.0 sync 17", "tmp sync 17"])
celery.write()
