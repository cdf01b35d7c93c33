"""browser.jsonl, logging.jsonl, dev-servers.jsonl, laravel.jsonl, symfony.jsonl and erlang.jsonl, by hand, from the formats that the clients of these platforms send."""
from corpus import Book, cause, event, frame, releases

SITE = "https://kiosk.example"
browser = Book("browser", "hand", platform="javascript", sdk="sentry.javascript.browser", release="1.0")


def js(cls, message, *places, **more):
    """Places are "file:line:column function"."""
    frames = []
    for p in places:
        where, _, func = p.partition(" ")
        frames.append(frame(where if ":" in where else where, func, app=True))
    return event(cls, message, *frames, **more)


def rejected(text):
    return event("UnhandledRejection", text)


add = lambda id, cls, reason, *groups, **base: browser.add("browser-" + id, "browser", cls, reason, *groups, **base)
add("rejected-text", "empty title", "Promises that were rejected with a text: the text is all there is.", [rejected("Non-Error promise rejection captured with value: Timeout")], [rejected("Non-Error promise rejection captured with value: Object Not Found Matching Id:4, MethodName:update, ParamCount:4"), rejected("Non-Error promise rejection captured with value: Object Not Found Matching Id:17, MethodName:update, ParamCount:4")])
add("rejected-object", "empty title", "Objects: their keys tell kinds apart.", [rejected("Object captured as promise rejection with keys: code, message")], [rejected("Object captured as promise rejection with keys: headers, status, statusText, url")])
add("rejected-nothing", "empty title", "Nothing at all, in two spellings of clients, and an event of the page.", [event("UnhandledRejection", "undefined"), event("Error", "undefined"), event("UnhandledRejection", "Non-Error promise rejection captured with value: undefined")], [event("Event", "Event `Event` (type=error) captured as promise rejection")], [event("CustomEvent", "Event `CustomEvent` (type=unhandledrejection) captured as promise rejection")])
add("script-error", "empty title", "Script error. of another origin, with the address of the page or without.", [js("Error", "Script error."), js("Error", "Script error.", f"{SITE}/orders/17:0"), js("Error", "Script error.", f"{SITE}/cart:0")])
add("no-class", "empty title", "Value objects of an application: no class of their own, an empty text.", [js("Error", "", f"{SITE}/app.js:3:10 pay"), js("Error", "", f"{SITE}/app.js:3:10 pay", f"{SITE}/app.js:9:1 main")], [js("Error", "", f"{SITE}/app.js:50:10 refund")])
add("logged", "words in message", "console.error: React's warnings name a component.", [event("", "Warning: Each child in a list should have a unique \"key\" prop. Check the render method of `CartList`.")], [event("", "Warning: Each child in a list should have a unique \"key\" prop. Check the render method of `UserList`.")])
add("logged-values", "ids in message", "console.error with ids and times.", [event("", f"failed to load order {n} after {ms}ms") for n, ms in ((17, 5003), (4711, 4998))], [event("", f"failed to load invoice {n} after {ms}ms") for n, ms in ((17, 5003), (99, 2))])
REACT = "Minified React error #%d; visit https://react.dev/errors/%d for the full message or use the non-minified dev environment for full errors and additional helpful warnings."
add("react-codes", "codes in message", "React's numbers: 418 is a hydration mismatch, 310 hooks in another order. All frames are the bundle's.", [js("Error", REACT % (418, 418), f"{SITE}/assets/vendor-B1a2c3D4.js:1:4100 rS"), js("Error", (REACT % (418, 418)).replace(" for the", "?args[]=text for the"), f"{SITE}/assets/vendor-B1a2c3D4.js:1:4100 rS")],
    [js("Error", REACT % (310, 310), f"{SITE}/assets/vendor-B1a2c3D4.js:1:4100 rS")], [js("Error", REACT % (185, 185), f"{SITE}/assets/vendor-B1a2c3D4.js:1:4100 rS")])
add("http", "codes in message", "axios: one function, one text but for the status.", [js("AxiosError", f"Request failed with status code {c}", f"{SITE}/app.js:9:20 settle") for c in (401,)], [js("AxiosError", "Request failed with status code 404", f"{SITE}/app.js:9:20 settle")], [js("AxiosError", "Request failed with status code 500", f"{SITE}/app.js:9:20 settle")])
add("fetch", "words in message", "What browsers say when a request failed; nothing else is known.", [event("TypeError", t) for t in ("Failed to fetch", "NetworkError when attempting to fetch resource.", "Load failed")], [event("AbortError", "The user aborted a request."), event("AbortError", "The operation was aborted. ")])
add("chunks", "words in message", "A chunk is gone after a deploy: texts of browsers and bundlers. One remedy.", [event("TypeError", t) for t in (f"Failed to fetch dynamically imported module: {SITE}/assets/Cart-BxTkQzLm.js", f"error loading dynamically imported module: {SITE}/assets/Cart-DqWrTyUi.js", "Importing a module script failed.")],
    [event("ChunkLoadError", f"Loading CSS chunk {n} failed.\n(/static/css/{n}.{h}.chunk.css)") for n, h in ((12, "4c1f0a7b"), (87, "90ffab11"))])
add("storage", "words in message", "Storage is full, or forbidden; the key differs.", [event("QuotaExceededError", f"Failed to execute 'setItem' on 'Storage': Setting the value of 'cart-{n}' exceeded the quota.") for n in (17, 99)], [event("SecurityError", "Failed to read the 'localStorage' property from 'Window': Access is denied for this document.")])
add("extensions", "bundler path", "An extension's script in two browsers, and the application's.", [js("TypeError", "Cannot read properties of null (reading 'style')", f"{s}/content.js:1:88 hide") for s in ("chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb", "moz-extension://0c9a1b7e-57d2-4f0e-9b8f-3e4a5b6c7d8e", "safari-web-extension://7D1E2F3A-1111-4C2B-8A9D-0F1E2D3C4B5A")],
    [js("TypeError", "Cannot read properties of null (reading 'style')", f"{SITE}/app.js:1:88 hide")])
add("hosts", "release path", "One script from tenants and a CDN.", [js("Error", "no price", f"{h}/app.js:3:14 pay") for h in ("https://a.kiosk.example", "https://b.kiosk.example", "https://cdn.example/kiosk/3.2.1", "https://cdn.example/kiosk/3.3.0")], [js("Error", "no price", f"{h}/app.js:52:14 refund") for h in ("https://a.kiosk.example", "https://cdn.example/kiosk/3.2.1")])
add("query", "release path", "The version of a script is in its query.", [js("Error", "no price", f"{SITE}/app.js?{q}:3:14 pay") for q in ("v=1.0", "v=1.1&t=1764230400")], [js("Error", "no price", f"{SITE}/app.js?v=1.0:52:14 refund"), js("Error", "no price", f"{SITE}/app.js?v=1.1:52:14 refund")])
add("pages", "release path", "A script in a page: the file is the address of the page, with ids.", [js("Error", "no price", f"{SITE}/orders/{n}:31:14 pay") for n in ("17", "8c1f7e52-07f4-4b0e-a0a1-2a6c3f4b7a11", "ord_9sK2mQ7xLp0d")], [js("Error", "no price", f"{SITE}/orders/17:52:14 refund"), js("Error", "no price", f"{SITE}/orders/99:52:14 refund")])
BASES = {"webpack": ("main.%s.js", "3f2a9c81", "90ffab11"), "base32": ("main-%s.js", "U2PUFHRX", "3IAPTVA2"), "base36": ("main.%s.js", "1k3j9zq0x7", "b8w2m4t6c1"), "base64url": ("main-%s.js", "B1a2c3D4", "Dq_rT-Ui"), "letters": ("main-%s.js", "BxTkQzLm", "DqWrTyUi"),
         "parcel": ("main.%s.js", "6503fd70", "a1e4c2b9"), "next": ("_next/static/chunks/main-%s.js", "3f2a9c81b7d6e5f4", "90ffab1122334455"), "sveltekit": ("_app/immutable/chunks/main.%s.js", "CqZ3k9Qx", "Bn1mV7aa"), "nuxt": ("_nuxt/%s.js", "BxTkQzLm", "C-k1_sQw"),
         "rails": ("assets/main-%s.js", "3f2a9c81b7d6e5f490ffab112233445566778899aabbccddeeff001122334455", "90ffab112233445566778899aabbccddeeff0011223344553f2a9c81b7d6e5f4"), "angular": ("main-%s.js", "5QWRT7ZK", "HD6EJ3LA"), "build": ("_next/static/%s/pages/main.js", "Ux7_k-Z3pQ9sT1vW5yA2b", "aB3dE5fG7hI9jK1lM3nO5")}
for name, (shape, one, two) in BASES.items():
    add("hash-" + name, "build id in file name", f"Content hashes and ids of builds as {name} has them; main and cart are two files.", [js("Error", "no price", f"{SITE}/{shape % h}:1:{c} pay") for h, c in ((one, 4100), (two, 4177))],
        [js("Error", "no price", f"{SITE}/{shape.replace('main', 'cart') % h}:1:{c} pay") for h, c in ((one[::-1], 4100), (two[::-1], 900))] if "main" in shape else [js("Error", "no price", f"{SITE}/{shape % one}:1:99 refund")])
add("words-not-hashes", "build id in file name", "checkout and settings, 8 letters long, are no hashes.", [js("Error", "no price", f"{SITE}/assets/page-checkout.js:1:5 render")], [js("Error", "no price", f"{SITE}/assets/page-settings.js:1:5 render")], [js("Error", "no price", f"{SITE}/assets/page-Overview.js:1:5 render")])
add("chunk-numbers", "build id in file name", "Chunks of numbers are other chunks.", [js("Error", "no price", f"{SITE}/static/js/123.{h}.chunk.js:1:5 r") for h in ("4c1f0a7b", "90ffab11")], [js("Error", "no price", f"{SITE}/static/js/87.{h}.chunk.js:1:5 r") for h in ("0a7b4c1f", "ab1190ff")])
add("aggregate", "members of a group", "Promise.any: what failed is in the members.", [event("AggregateError", "All promises were rejected", causes=[cause("Gone", f"order {n} is gone", frame(f"{SITE}/app.js:17:9", "order", app=True))]) for n in (1, 22)], [event("AggregateError", "All promises were rejected", causes=[cause("Declined", "bank said no", frame(f"{SITE}/app.js:31:9", "pay", app=True))])])
add("aggregate-count", "members of a group", "One member or three of the same.", [event("AggregateError", "All promises were rejected", causes=[cause("Declined", "bank said no", frame(f"{SITE}/app.js:31:9", "pay", app=True))] * n) for n in (1, 3)])
browser.write()

logging = Book("logging", "hand", platform="python", sdk="sentry.python", release="1.0")


def log(template, *values):
    return event("", template % values, template=template)


logging.add("logging-templates", "python", "ids in message", "A log message with its template; a notice has the text alone.", [log("no price for %s", v) for v in (4711, "SKU-17", "8c1f7e52-07f4-4b0e-a0a1-2a6c3f4b7a11")], [log("no stock of %s", v) for v in (17, "SKU-99")])
logging.write()

dev = Book("dev-servers", "hand", platform="javascript", sdk="sentry.javascript.react", release="1.0")
PATHS = {
    "vite": (["http://localhost:5173/src/Cart.tsx?t=1764230400123", "http://localhost:5174/src/Cart.tsx", "http://127.0.0.1:5173/src/Cart.tsx?t=1764230999999"], "http://localhost:5173/node_modules/.vite/deps/chunk-%s.js?v=%s"),
    "vite-fs": (["http://localhost:5173/@fs/home/ann/kiosk/src/Cart.tsx", "http://localhost:5173/@fs/Users/bo/kiosk/src/Cart.tsx?t=1764230400123"], "http://localhost:5173/@fs/home/ann/kiosk/node_modules/.vite/deps/chunk-%s.js?v=%s"),
    "webpack": (["webpack-internal:///./src/Cart.tsx", "webpack:///./src/Cart.tsx", "webpack://kiosk/./src/Cart.tsx?a1b2"], "webpack-internal:///./node_modules/react-dom/cjs/chunk-%s.js?%s"),
    "next": (["webpack-internal:///(app-pages-browser)/./src/Cart.tsx", "webpack-internal:///(rsc)/./src/Cart.tsx", "webpack-internal:///(ssr)/./src/Cart.tsx"], "webpack-internal:///(app-pages-browser)/./node_modules/next/dist/compiled/chunk-%s.js?%s"),
    "turbopack": (["turbopack:///[project]/src/Cart.tsx", "turbopack://[project]/src/Cart.tsx"], "turbopack:///[project]/node_modules/react-dom/chunk-%s.js?%s"),
    "angular": (["http://localhost:4200/src/app/cart.component.ts", "webpack:///src/app/cart.component.ts"], "http://localhost:4200/@fs/home/ann/kiosk/.angular/cache/20.1.0/kiosk/vite/deps/chunk-%s.js?v=%s"),
}
for name, (ours, theirs) in PATHS.items():
    deps = [theirs % pair for pair in (("A1B2C3D4", "4c1f0a7b"), ("ZK7QWRT5", "90ffab11"))]
    dev.add(f"dev-{name}-app", "dev servers", "bundler path", f"The application's file as {name} names it.", [js("Error", "no price", f"{p}:31:14 pay") for p in ours], [js("Error", "no price", f"{ours[0].replace('Cart', 'User').replace('cart', 'user')}:31:14 pay")])
    dev.add(f"dev-{name}-library", "dev servers", "helper on top", f"A library on top, as {name} names it; the callers differ. The client marks all frames.", [js("Error", "Invariant failed", f"{d}:12:9 invariant", f"{ours[0]}:{40}:3 CartPage") for d in deps],
            [js("Error", "Invariant failed", f"{d}:12:9 invariant", f"{ours[0].replace('Cart', 'User').replace('cart', 'user')}:40:3 UserPage") for d in deps])
ROUTES = ["[locale]/cart/page.tsx", "(shop)/cart/page.tsx", "@modal/(.)cart/page.tsx", "[[...slug]]/page.tsx"]
dev.add("dev-routes", "dev servers", "bundler path", "Paths that begin with what a router has in brackets are the application's: the same text in four pages.", *[[js("Error", "no price", f"turbopack:///[project]/src/app/{r}:9:14 Page"), js("Error", "no price", f"webpack-internal:///(rsc)/./src/app/{r}:9:14 Page")] for r in ROUTES])
dev.add("dev-routes-relative", "dev servers", "bundler path", "The same, from a server, relative to the project.", *[[event("Error", "no price", frame(f"{r}:9:14", "Page", app=None))] for r in ROUTES])
dev.add("dev-svelte", "dev servers", "bundler path", "SvelteKit's routes: +page.svelte in two directories.", [js("Error", "no price", f"{h}/src/routes/cart/+page.svelte:9:14 load") for h in ("http://localhost:5173", "https://kiosk.example")], [js("Error", "no price", f"{h}/src/routes/user/+page.svelte:9:14 load") for h in ("http://localhost:5173", "https://kiosk.example")])
dev.add("dev-vue", "dev servers", "compiled template", "A component's script, template and render function are compiled apart, with a hash in the query.", [js("TypeError", "Cannot read properties of undefined (reading 'price')", f"http://localhost:5173/src/Cart.vue{q}:12:9 _sfc_render") for q in ("?t=1764230400", "?vue&type=template&id=3f2a9c&lang.js", "?3f2a")],
        [js("TypeError", "Cannot read properties of undefined (reading 'price')", f"http://localhost:5173/src/User.vue{q}:12:9 _sfc_render") for q in ("?t=1764230400", "?vue&type=template&id=9c3f2a&lang.js")])
dev.write()

laravel = Book("laravel", "hand", platform="php", sdk="sentry.php.laravel", release="1.0", root="/var/www")


def php(cls, message, *places, causes=(), root="/var/www", **more):
    """Places are "file:line function"; vendor and framework files are libraries."""
    frames = []
    for p in places:
        where, _, func = p.partition(" ")
        app = not where.startswith(("vendor/", "storage/framework/", "var/cache/"))
        frames.append(frame("/" + where, func, app=app, path=root + "/" + where.rsplit(":", 1)[0]))
    return event(cls, message, *frames, causes=causes, **more)


def view(hash, line, text, name):
    inner = cause("ErrorException", text, frame(f"/storage/framework/views/{hash}.php:{line}", app=False), frame("/app/Http/Controllers/ShopController.php:20", "App\\Http\\Controllers\\ShopController::show", app=True))
    return php("Illuminate\\View\\ViewException", f"{text} (View: /var/www/resources/views/{name}.blade.php)", f"storage/framework/views/{hash}.php:{line} include", "vendor/laravel/framework/src/Illuminate/View/Engines/CompilerEngine.php:60 Illuminate\\View\\Engines\\PhpEngine::evaluatePath", "app/Http/Controllers/ShopController.php:20 App\\Http\\Controllers\\ShopController::show", causes=[inner])


def query(text, line, func="OrderController::store"):
    return php("Illuminate\\Database\\QueryException", text, "vendor/laravel/framework/src/Illuminate/Database/Connection.php:829 Illuminate\\Database\\Connection::runQueryCallback", f"app/Http/Controllers/OrderController.php:{line} App\\Http\\Controllers\\{func}")


laravel.add("laravel-views", "laravel", "compiled template", "Compiled views are named by a hash of their path; ViewException wraps and names the view.", [view(h, 7, "Undefined variable $total", "cart") for h in ("3f2a9c81b7d6e5f490ffab1122334455667788aa", "90ffab1122334455667788aa3f2a9c81b7d6e5f4")], [view(h, 7, "Undefined variable $user", "user") for h in ("a1b2c3d4e5f60718293a4b5c6d7e8f9001122334", "4b5c6d7e8f9001122334a1b2c3d4e5f60718293a")])
laravel.add("laravel-query", "laravel", "helper on top", "QueryException in two actions: the statement with values is in the text.", [query(f"SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry '{e}' for key 'users_email_unique' (Connection: mysql, SQL: insert into `users` (`email`) values ({e}))", 31) for e in ("ann@example.org", "bo@example.net")],
            [query(f"SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry '{e}' for key 'users_email_unique' (Connection: mysql, SQL: insert into `users` (`email`) values ({e}))", 52, "OrderController::import") for e in ("ann@example.org", "cy@example.com")])
laravel.add("laravel-sqlstate", "laravel", "codes in message", "One statement: a deadlock (40001), a lost connection (HY000 2006), a duplicate (23000).", [query("SQLSTATE[40001]: Serialization failure: 1213 Deadlock found when trying to get lock; try restarting transaction (Connection: mysql, SQL: update `orders` set `state` = 5 where `id` = %d)" % n, 31) for n in (17, 99)],
            [query("SQLSTATE[HY000]: General error: 2006 MySQL server has gone away (Connection: mysql, SQL: update `orders` set `state` = 5 where `id` = %d)" % n, 31) for n in (17, 4)], [query("SQLSTATE[23000]: Integrity constraint violation: 1452 Cannot add or update a child row (Connection: mysql, SQL: update `orders` set `state` = 5 where `id` = 17)", 31)])
laravel.add("laravel-models", "laravel", "codes in message", "findOrFail of two models; the id is a customer's.", [php("Illuminate\\Database\\Eloquent\\ModelNotFoundException", f"No query results for model [App\\Models\\Order] {n}", "vendor/laravel/framework/src/Illuminate/Database/Eloquent/Builder.php:519 Illuminate\\Database\\Eloquent\\Builder::findOrFail", "app/Http/Controllers/Controller.php:9 App\\Http\\Controllers\\Controller::find") for n in (17, 4711)],
            [php("Illuminate\\Database\\Eloquent\\ModelNotFoundException", f"No query results for model [App\\Models\\User] {n}", "vendor/laravel/framework/src/Illuminate/Database/Eloquent/Builder.php:519 Illuminate\\Database\\Eloquent\\Builder::findOrFail", "app/Http/Controllers/Controller.php:9 App\\Http\\Controllers\\Controller::find") for n in (17, 99)])
laravel.add("laravel-closures", "laravel", "generated name", "{closure}, {closure:…:31} since PHP 8.4, in routes/web.php.", [php("Error", "Call to a member function price() on null", f"routes/web.php:31 {c}") for c in ("Illuminate\\Routing\\RouteFileRegistrar::{closure}", "{closure:/var/www/routes/web.php:30}", "{closure}")], [php("Error", "Call to a member function price() on null", f"routes/web.php:52 {c}") for c in ("Illuminate\\Routing\\RouteFileRegistrar::{closure}", "{closure}")])
laravel.add("laravel-roots", "laravel", "release path", "Envoyer and Forge keep releases in directories by time.", [php("Error", "Call to a member function price() on null", "app/Cart.php:31 App\\Cart::total", root=r) for r in ("/home/forge/kiosk/releases/20261101120000", "/home/forge/kiosk/releases/20261108093000", "/home/forge/kiosk/current")], [php("Error", "Call to a member function price() on null", "app/Cart.php:52 App\\Cart::names", root=r) for r in ("/home/forge/kiosk/releases/20261101120000", "/home/forge/kiosk/releases/20261108093000")])
laravel.add("laravel-jobs", "laravel", "words in message", "MaxAttemptsExceeded of two jobs: the name is the news.", [php("Illuminate\\Queue\\MaxAttemptsExceededException", "App\\Jobs\\SendMail has been attempted too many times.", "vendor/laravel/framework/src/Illuminate/Queue/Worker.php:785 Illuminate\\Queue\\Worker::maxAttemptsExceededException")], [php("Illuminate\\Queue\\MaxAttemptsExceededException", "App\\Jobs\\MakeReport has been attempted too many times.", "vendor/laravel/framework/src/Illuminate/Queue/Worker.php:785 Illuminate\\Queue\\Worker::maxAttemptsExceededException")])
laravel.add("laravel-version", "laravel", "other version of runtime", "Laravel was upgraded: lines of the framework moved.", [php("Error", "Call to a member function price() on null", "app/Cart.php:31 App\\Cart::total", f"vendor/laravel/framework/src/Illuminate/Routing/Controller.php:{n} Illuminate\\Routing\\Controller::callAction") for n in (54, 47)], [php("Error", "Call to a member function price() on null", "app/Cart.php:52 App\\Cart::names", f"vendor/laravel/framework/src/Illuminate/Routing/Controller.php:{n} Illuminate\\Routing\\Controller::callAction") for n in (54, 47)])
laravel.write()

symfony = Book("symfony", "hand", platform="php", sdk="sentry.php.symfony", release="1.0", root="/var/www")


def handled(cls, text, file, line, func):
    place = [frame(f"/{file}:{line}", func, app=True, path=f"/var/www/{file}")]
    return php("Symfony\\Component\\Messenger\\Exception\\HandlerFailedException", f"Handling \"App\\Message\\SendMail\" failed: {text}", "vendor/symfony/messenger/Middleware/HandleMessageMiddleware.php:129 Symfony\\Component\\Messenger\\Middleware\\HandleMessageMiddleware::handle", "vendor/symfony/messenger/Worker.php:161 Symfony\\Component\\Messenger\\Worker::handleMessage", causes=[cause(cls, text, *place)])


def twig(hash, line, text, name):
    return php("Twig\\Error\\RuntimeError", f"{text} in \"{name}\" at line {line}.", f"templates/{name}:{line} __TwigTemplate_{hash}::doDisplay", f"vendor/twig/twig/src/Template.php:402 Twig\\Template::yield", "src/Controller/ShopController.php:20 App\\Controller\\ShopController::show")


symfony.add("symfony-handlers", "symfony", "wrapper and cause", "HandlerFailedException wraps what handlers throw.", [handled("App\\Declined", f"payment {n} was declined", "src/Handler/Pay.php", 31, "App\\Handler\\Pay::__invoke") for n in (17, 99)], [handled("App\\Gone", f"mailbox {n} is gone", "src/Handler/Mail.php", 12, "App\\Handler\\Mail::__invoke") for n in ("ann@example.org", "bo@example.net")], [handled("App\\Declined", "payment 17 was declined", "src/Handler/Refund.php", 31, "App\\Handler\\Refund::__invoke")])
symfony.add("symfony-twig", "symfony", "compiled template", "Classes of compiled templates have a hash of the environment.", [twig(h, 7, "Variable \"total\" does not exist", "cart.html.twig") for h in ("3f2a9c81b7d6e5f490ffab1122334455", "90ffab11223344553f2a9c81b7d6e5f4")], [twig(h, 7, "Variable \"user\" does not exist", "user.html.twig") for h in ("3f2a9c81b7d6e5f490ffab1122334455", "90ffab11223344553f2a9c81b7d6e5f4")])
symfony.add("symfony-container", "symfony", "generated name", "The container is compiled: ContainerAb12Cd3, getCartService.", [php("TypeError", "App\\Cart::__construct(): Argument #1 ($bank) must be of type App\\Bank, null given", f"var/cache/prod/Container{h}/getCartService.php:24 Container{h}\\getCartService::do", "src/Kernel.php:9 App\\Kernel::boot") for h in ("Ab12Cd3", "Xy98Zw7")],
            [php("TypeError", "App\\User::__construct(): Argument #1 ($mail) must be of type App\\Mail, null given", f"var/cache/prod/Container{h}/getUserService.php:24 Container{h}\\getUserService::do", "src/Kernel.php:9 App\\Kernel::boot") for h in ("Ab12Cd3", "Xy98Zw7")])
symfony.add("symfony-proxies", "symfony", "generated name", "Proxies of Doctrine are in a cache directory, under __CG__.", [php("Doctrine\\ORM\\EntityNotFoundException", f"Entity of type 'App\\Entity\\Order' for IDs id({n}) was not found", "vendor/doctrine/orm/src/Proxy/ProxyFactory.php:188 Doctrine\\ORM\\Proxy\\ProxyFactory::createLazyInitializer", f"var/cache/prod/doctrine/orm/Proxies/__CG__AppEntityOrder.php:{l} Proxies\\__CG__\\App\\Entity\\Order::getNumber", "src/Cart.php:31 App\\Cart::total") for n, l in ((17, 120), (99, 131))],
            [php("Doctrine\\ORM\\EntityNotFoundException", "Entity of type 'App\\Entity\\Order' for IDs id(17) was not found", "vendor/doctrine/orm/src/Proxy/ProxyFactory.php:188 Doctrine\\ORM\\Proxy\\ProxyFactory::createLazyInitializer", "src/Cart.php:52 App\\Cart::names")])
symfony.add("symfony-routes", "symfony", "ids in message", "No route: the paths are of scanners; and a method that is not allowed.", [php("Symfony\\Component\\HttpKernel\\Exception\\NotFoundHttpException", f"No route found for \"GET {SITE}/{p}\"", "vendor/symfony/http-kernel/EventListener/RouterListener.php:127 Symfony\\Component\\HttpKernel\\EventListener\\RouterListener::onKernelRequest") for p in ("wp-login.php", "orders/17/x")],
            [php("Symfony\\Component\\HttpKernel\\Exception\\MethodNotAllowedHttpException", f"No route found for \"POST {SITE}/cart\": Method Not Allowed (Allow: GET)", "vendor/symfony/http-kernel/EventListener/RouterListener.php:127 Symfony\\Component\\HttpKernel\\EventListener\\RouterListener::onKernelRequest")])
symfony.write()

erlang = Book("erlang", "hand", platform="elixir", sdk="sentry-elixir", release="1.0")


def beam(cls, message, *places, **more):
    """Places are "file:line module:function/arity"; modules of OTP are libraries."""
    frames = []
    for p in places:
        where, _, func = p.partition(" ")
        module = func.split(":")[0]
        frames.append(frame(where, func, module, True if module.startswith("kiosk") else None))
    trace = f"** ({cls}) {message}\n" + "\n".join(f"    {p.split(' ')[0]}: :{p.split(' ')[1].replace(':', '.')}" for p in places)
    return event(cls, message, *frames, trace=trace, **more)


erlang.add("erlang-shift", "erlang", "line shift", "Lines were added.", releases(*[beam("badmatch", "{badmatch,undefined}", f"src/kiosk_cart.erl:{n} kiosk_cart:price/1", "proc_lib.erl:240 proc_lib:init_p_do_apply/3") for n in (31, 36)]), releases(*[beam("badmatch", "{badmatch,undefined}", f"src/kiosk_cart.erl:{n} kiosk_cart:label/1") for n in (40, 45)]))
erlang.add("erlang-funs", "erlang", "generated name", "-total/1-fun-0-: the number counts the functions of a module.", [beam("badarith", "{badarith,[{erlang,'+',[undefined,1],[]}]}", f"src/kiosk_cart.erl:20 kiosk_cart:'-total/1-fun-{n}-'/1", "lists.erl:1559 lists:map/2") for n in (0, 2)], [beam("badarith", "{badarith,[{erlang,'+',[undefined,1],[]}]}", f"src/kiosk_cart.erl:25 kiosk_cart:'-names/1-fun-{n}-'/1", "lists.erl:1559 lists:map/2") for n in (1, 3)])
erlang.add("erlang-pids", "erlang", "addresses", "Numbers of processes and references.", [beam("exit", f"{{noproc,{{gen_server,call,[<0.{n}.0>,stock,5000]}}}}", "gen_server.erl:419 gen_server:call/3", "src/kiosk_cart.erl:12 kiosk_cart:stock/1") for n in (394, 11, 7001)], [beam("exit", f"{{timeout,{{gen_server,call,[<0.{n}.0>,stock,5000]}}}}", "gen_server.erl:419 gen_server:call/3", "src/kiosk_bank.erl:12 kiosk_bank:stock/1") for n in (394, 12)])
erlang.add("erlang-otp", "erlang", "helper on top", "OTP's modules are on top of two callers.", [beam("badarg", "badarg", f"{f}", "src/kiosk_cart.erl:12 kiosk_cart:take/1") for f in ("ets.erl:100 ets:lookup_element/3", "ets.erl:101 ets:lookup_element/3")], [beam("badarg", "badarg", "ets.erl:100 ets:lookup_element/3", "src/kiosk_user.erl:12 kiosk_user:find/1")])
erlang.add("erlang-values", "erlang", "ids in message", "What did not match.", [beam("case_clause", f"{{case_clause,{v}}}", "src/kiosk_cart.erl:33 kiosk_cart:kind/1") for v in ("undefined", "{error,17}", "<<\"x\">>")], [beam("case_clause", f"{{case_clause,{v}}}", "src/kiosk_cart.erl:70 kiosk_cart:size/1") for v in ("undefined", "17")])
erlang.write()
