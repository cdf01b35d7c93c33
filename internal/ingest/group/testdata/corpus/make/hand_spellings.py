"""spellings.jsonl, by hand, from the texts that runtimes, drivers, clients of services, bundlers and compilers are documented to write."""
from corpus import Book, cause, event, frame, releases

book = Book("spellings", "hand", release="1.0")
PLACES = {  # a statement of the application in each language, and how its client marks it
    "python": ("python", "sentry.python", ("kiosk/bank.py", "charge", "kiosk.bank")), "ruby": ("ruby", "sentry.ruby", ("app/services/bank.rb", "charge", "")),
    "node": ("node", "sentry.javascript.node", ("/srv/kiosk/src/bank.js", "charge", "")), "java": ("java", "sentry.java", ("Bank.java", "charge", "com.kiosk.Bank")),
    "kotlin": ("java", "sentry.java", ("Bank.kt", "charge", "com.kiosk.Bank")), "go": ("go", "sentry.go", ("bank.go", "charge", "main")), "php": ("php", "sentry.php", ("/app/Bank.php", "Kiosk\\Bank::charge", "")),
    "dotnet": ("csharp", "sentry.dotnet", ("Bank.cs", "Charge", "Kiosk.Bank")), "rust": ("rust", "sentry.rust", ("src/bank.rs", "kiosk::bank::charge", "")),
    "elixir": ("elixir", "sentry.elixir", ("lib/kiosk/bank.ex", "Kiosk.Bank.charge/1", "Kiosk.Bank")), "swift": ("cocoa", "sentry.cocoa", ("Bank.swift", "Bank.charge()", "Kiosk")),
    "browser": ("javascript", "sentry.javascript.browser", ("https://kiosk.example/src/bank.js", "charge", "")), "dart": ("dart", "sentry.dart", ("package:kiosk/bank.dart", "Bank.charge", "")),
    "scala": ("java", "sentry.java", ("Bank.scala", "charge", "com.kiosk.Bank$")), "clojure": ("java", "sentry.java", ("bank.clj", "invoke", "kiosk.bank$charge")), "erlang": ("erlang", "sentry.erlang", ("bank.erl", "bank:charge/1", "")),
    "postgresql": ("other", "sentry.other", None), "shell": ("other", "sentry.other", None), "native": ("native", "sentry.native", ("/src/kiosk/bank.cpp", "Bank::charge()", "")),
}


def at(eco, line=31, file="", func="", module="", app=True):
    platform, sdk, place = PLACES[eco]
    f, n, m = place
    return frame(f"{file or f}:{line}", func or n, module or m, app)


def said(id, eco, cls, reason, kind, *groups, frames=True, **more):
    """Groups are lists of texts of errors of one kind at one place, or without a place."""
    platform, sdk, place = PLACES[eco]
    one = lambda text: event(kind, text, *([at(eco)] if frames else []), platform=platform, sdk=sdk, **more)
    book.add(f"{eco}-{id}", eco, cls, reason, *[[one(t) for t in g] for g in groups])


CODES, IDS, WORDS, NAMES = "codes in message", "ids in message", "words in message", "generated name"
URL = "https://bank.example/v1/orders/"
said("says-status", "python", CODES, "requests: the status of a failure.", "requests.exceptions.HTTPError", [f"404 Client Error: Not Found for url: {URL}17", f"404 Client Error: Not Found for url: {URL}18"], [f"503 Server Error: Service Unavailable for url: {URL}17"])
said("says-mysql", "python", CODES, "MySQL's drivers give a number and a text.", "MySQLdb.OperationalError", ["(1213, 'Deadlock found when trying to get lock; try restarting transaction')"], ["(2006, 'MySQL server has gone away')"], ["(1205, 'Lock wait timeout exceeded; try restarting transaction')"])
said("says-aws", "python", CODES, "botocore names the code in brackets.", "botocore.exceptions.ClientError", ["An error occurred (ThrottlingException) when calling the PutItem operation (reached max retries: 4): Rate exceeded", "An error occurred (ThrottlingException) when calling the PutItem operation (reached max retries: 9): Rate exceeded"],
     ["An error occurred (AccessDeniedException) when calling the PutItem operation: User: arn:aws:iam::471100000000:user/kiosk is not authorized"])
said("says-exit", "python", CODES, "subprocess says how a command ended.", "subprocess.CalledProcessError", ["Command '['pg_dump', 'kiosk', '-f', '/tmp/tmp8a1x']' returned non-zero exit status 1.", "Command '['pg_dump', 'kiosk', '-f', '/tmp/tmpq9_z']' returned non-zero exit status 1."],
     ["Command '['pg_dump', 'kiosk', '-f', '/tmp/tmp8a1x']' died with <Signals.SIGKILL: 9>."])
said("says-winerror", "python", CODES, "Windows numbers its errors.", "PermissionError", ["[WinError 5] Access is denied: 'C:\\\\kiosk\\\\a.csv'", "[WinError 5] Access is denied: 'C:\\\\kiosk\\\\b.csv'"], ["[WinError 32] The process cannot access the file because it is being used by another process: 'C:\\\\kiosk\\\\a.csv'"])
said("says-status", "ruby", CODES, "Faraday.", "Faraday::ClientError", ["the server responded with status 402", "the server responded with status 402 for POST " + URL + "7"], ["the server responded with status 429"])
said("says-http", "ruby", CODES, "Net::HTTP's value!.", "Net::HTTPClientException", ['403 "Forbidden"'], ['404 "Not Found"'])
said("says-guzzle", "php", CODES, "Guzzle quotes the status.", "GuzzleHttp\\Exception\\ClientException", [f"Client error: `POST {URL}17` resulted in a `402 Payment Required` response:\n{{\"id\":\"17\"}}", f"Client error: `POST {URL}18` resulted in a `402 Payment Required` response:\n{{\"id\":\"18\"}}"], [f"Client error: `POST {URL}17` resulted in a `409 Conflict` response:\n{{}}"])
said("says-pdo", "php", CODES, "PDO gives SQLSTATE and the driver's number; Laravel adds the statement and its values.", "Illuminate\\Database\\QueryException",
     ["SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry 'ann@example.org' for key 'users_email_unique' (Connection: mysql, SQL: insert into `users` (`email`) values (ann@example.org))", "SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry 'bo@example.org' for key 'users_email_unique' (Connection: mysql, SQL: insert into `users` (`email`, `name`) values (bo@example.org, Bo))"],
     ["SQLSTATE[40001]: Serialization failure: 1213 Deadlock found when trying to get lock; try restarting transaction (Connection: mysql, SQL: insert into `users` (`email`) values (ann@example.org))"], ["SQLSTATE[HY000] [2002] Connection refused"])
said("says-url", "java", CODES, "HttpURLConnection.", "java.io.IOException", [f"Server returned HTTP response code: 500 for URL: {URL}17", f"Server returned HTTP response code: 500 for URL: {URL}99"], [f"Server returned HTTP response code: 403 for URL: {URL}17"])
said("says-feign", "java", CODES, "Feign puts the status in brackets.", "feign.FeignException", [f"[503 Service Unavailable] during [POST] to [{URL}17] [BankClient#charge(Order)]: [upstream]", f"[503 Service Unavailable] during [POST] to [{URL}18] [BankClient#charge(Order)]: [gone]"], [f"[429 Too Many Requests] during [POST] to [{URL}17] [BankClient#charge(Order)]: []"])
said("says-oracle", "java", CODES, "Oracle.", "java.sql.SQLException", ["ORA-00001: unique constraint (KIOSK.UQ_EMAIL) violated"], ["ORA-12541: TNS:no listener"], ["ORA-02291: integrity constraint (KIOSK.FK_USER) violated - parent key not found"])
said("says-grpc", "java", CODES, "gRPC's states.", "io.grpc.StatusRuntimeException", ["UNAVAILABLE: io exception", "UNAVAILABLE: Network closed for unknown reason"], ["DEADLINE_EXCEEDED: deadline exceeded after 4.999s. [remote_addr=bank/10.0.0.7:443]", "DEADLINE_EXCEEDED: deadline exceeded after 1.204s. [remote_addr=bank/10.0.0.9:443]"])
said("says-grpc", "go", CODES, "gRPC's codes.", "*status.Error", ["rpc error: code = Unavailable desc = connection closed before server preface received", "rpc error: code = Unavailable desc = transport is closing"], ["rpc error: code = DeadlineExceeded desc = context deadline exceeded"])
said("says-dial", "go", CODES, "What a dial met.", "*url.Error", [f'Get "{URL}17": dial tcp 10.0.0.7:443: connect: connection refused', f'Get "{URL}18": dial tcp 10.0.0.9:443: connect: connection refused'], [f'Get "{URL}17": x509: certificate has expired or is not yet valid: current time 2026-11-27T12:00:00Z is after 2026-11-01T00:00:00Z'])
said("says-pq", "go", CODES, "pgx.", "*pgconn.PgError", ['ERROR: duplicate key value violates unique constraint "users_email_key" (SQLSTATE 23505)'], ['ERROR: deadlock detected (SQLSTATE 40P01)'], ['ERROR: canceling statement due to statement timeout (SQLSTATE 57014)'])
said("says-exec", "go", CODES, "os/exec.", "*exec.ExitError", ["exit status 1"], ["exit status 137"], ["signal: killed"])
said("says-errno", "node", CODES, "Node's errors of the system.", "Error", ["connect ECONNREFUSED 10.0.0.7:5432", "connect ECONNREFUSED 10.0.0.9:5432"], ["connect ETIMEDOUT 10.0.0.7:5432"], ["read ECONNRESET"])
said("says-axios", "node", CODES, "axios.", "AxiosError", ["Request failed with status code 401"], ["Request failed with status code 500"], ["timeout of 5000ms exceeded", "timeout of 10000ms exceeded"])
said("says-prisma", "node", CODES, "Prisma's codes stand in a property and in the text of some errors.", "PrismaClientKnownRequestError", ["Invalid `prisma.user.create()` invocation:\n\nUnique constraint failed on the fields: (`email`)"], ["Invalid `prisma.user.create()` invocation:\n\nForeign key constraint failed on the field: `User_teamId_fkey (index)`"])
said("says-mongo", "node", CODES, "MongoDB.", "MongoServerError", ['E11000 duplicate key error collection: kiosk.users index: email_1 dup key: { email: "ann@example.org" }', 'E11000 duplicate key error collection: kiosk.users index: email_1 dup key: { email: "bo@example.org" }'], ["WriteConflict error: this operation conflicted with another operation. Please retry your operation or multi-document transaction."])
said("says-status", "dotnet", CODES, "EnsureSuccessStatusCode.", "System.Net.Http.HttpRequestException", ["Response status code does not indicate success: 404 (Not Found)."], ["Response status code does not indicate success: 503 (Service Unavailable)."])
said("says-os", "rust", CODES, "std::io's errors in Debug.", "panic", ['called `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: "No such file or directory" }'], ['called `Result::unwrap()` on an `Err` value: Os { code: 13, kind: PermissionDenied, message: "Permission denied" }'])
said("says-foundation", "swift", CODES, "Foundation's domains and codes.", "NSURLErrorDomain", ['Error Domain=NSURLErrorDomain Code=-1009 "The Internet connection appears to be offline." UserInfo={_kCFStreamErrorCodeKey=50}'], ['Error Domain=NSURLErrorDomain Code=-1001 "The request timed out." UserInfo={_kCFStreamErrorCodeKey=-2102}'])
said("says-atoms", "elixir", WORDS, "What did not match is a value, also if it is an atom.", "MatchError", ["no match of right hand side value: {:error, :timeout}", "no match of right hand side value: {:error, :nxdomain}"])
said("values-nanoids", "node", IDS, "nanoid's letters are base64url.", "Error", ["order V1StGXR8_Z5jdHi6B-myT is gone", "order Uakgb_J5m9g-0JDMbcJqL is gone"], ["order V1StGXR8_Z5jdHi6B-myT is late"], frames=False)
said("values-keys", "python", IDS, "Keys of objects.", "botocore.exceptions.NoSuchKey", ["NoSuchKey: uploads/2026/11/27/img_8a7f.png", "NoSuchKey: uploads/2026/10/02/img_1b2c.png"], frames=False)
said("says-ktor", "kotlin", CODES, "Ktor.", "io.ktor.client.plugins.ClientRequestException", [f'Client request(GET {URL}17) invalid: 404 Not Found. Text: "no order"', f'Client request(GET {URL}18) invalid: 404 Not Found. Text: "none"'], [f'Client request(GET {URL}17) invalid: 429 Too Many Requests. Text: "slow"'])
said("says-firebase", "dart", CODES, "Firebase's codes are in brackets.", "FirebaseAuthException", ["[firebase_auth/user-not-found] There is no user record corresponding to this identifier."], ["[firebase_auth/wrong-password] The password is invalid or the user does not have a password."])
said("says-firebase", "browser", CODES, "Firebase's codes are in brackets.", "FirebaseError", ["Firebase: Error (auth/popup-closed-by-user)."], ["Firebase: Error (auth/network-request-failed)."])
said("says-react", "browser", CODES, "React's numbers.", "Error", ["Minified React error #418; visit https://react.dev/errors/418?args[]=HTML for the full message"], ["Minified React error #185; visit https://react.dev/errors/185 for the full message"])
said("says-curl", "php", CODES, "curl's numbers.", "GuzzleHttp\\Exception\\ConnectException", [f"cURL error 28: Operation timed out after 5001 milliseconds with 0 bytes received (see https://curl.se/libcurl/c/libcurl-errors.html) for {URL}17", f"cURL error 28: Operation timed out after 30002 milliseconds with 0 bytes received (see https://curl.se/libcurl/c/libcurl-errors.html) for {URL}18"], [f"cURL error 6: Could not resolve host: bank.example (see https://curl.se/libcurl/c/libcurl-errors.html) for {URL}17"])
said("says-stripe", "ruby", CODES, "Stripe's codes in the text of a job.", "RuntimeError", ["charge failed: card_declined"], ["charge failed: expired_card"], ["charge failed: insufficient_funds"])

# Values, at one place and without one.
VALUES = [
    ("tokens", ["no session for 01HF8Z3K9QW7X2V5N4M6B1C0DE", "no session for 01HG2M4T8RAY3J6W9KZ5P0XQBV"], ["no basket for 01HF8Z3K9QW7X2V5N4M6B1C0DE"]),
    ("objectids", ["order 65f1c2a9e4b0a1d2c3f4e5a6 has no items", "order 65f1c2a9e4b0a1d2c3f4e5b7 has no items"], ["order 65f1c2a9e4b0a1d2c3f4e5a6 has no owner"]),
    ("jwt", ["bad token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxNyJ9.dBjftJeZ4CVP", "bad token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI5OSJ9.Tz0qkLw8nP2x"], ["expired token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxNyJ9.dBjftJeZ4CVP"]),
    ("money", ["the total 12.99 EUR is below 20.00 EUR", "the total 8.50 EUR is below 20.00 EUR"], ["the refund 12.99 EUR is below 20.00 EUR"]),
    ("hosts", ["no answer from ip-10-0-3-17.ec2.internal:8080", "no answer from ip-10-0-9-201.ec2.internal:8080"], ["bad answer from ip-10-0-3-17.ec2.internal:8080"]),
    ("pods", ["lost worker kiosk-7d9f8b6c5-x2k4p", "lost worker kiosk-6c8d7f9b4-q7wzt"], ["slow worker kiosk-7d9f8b6c5-x2k4p"]),
    ("durations", ["gave up after 1m32.5s", "gave up after 58.1s"], ["woke up after 1m32.5s"]),
    ("uploads", ["cannot scale uploads/2026/11/27/9f2c41e0.png", "cannot scale uploads/2026/11/28/77ab01cd.png"], ["cannot store uploads/2026/11/27/9f2c41e0.png"]),
    ("threads", ["deadlock in pool-3-thread-17", "deadlock in pool-12-thread-4"], ["timeout in pool-3-thread-17"]),
    ("emails", ["no account for ann.smith+kiosk@example.org", "no account for bo@mail.example.net"], ["no mailbox for bo@mail.example.net"]),
    ("offsets", ["offset 118273 of orders-3 is out of range", "offset 99 of orders-11 is out of range"], ["offset 118273 of orders-3 is not committed"]),
]
for (name, same, other), (eco, kind) in zip(VALUES, [("python", "ValueError"), ("node", "Error"), ("ruby", "RuntimeError"), ("php", "RuntimeException"), ("java", "java.lang.IllegalStateException"), ("go", "*errors.errorString"),
                                                    ("dotnet", "System.InvalidOperationException"), ("python", "Exception"), ("java", "java.lang.RuntimeException"), ("ruby", "Kiosk::Gone"), ("kotlin", "java.lang.IllegalStateException")]):
    said("values-" + name, eco, IDS, "Values of one text.", kind, same, other, frames=False)
said("values-names", "python", IDS, "What was typed stands in quotes.", "kiosk.NotFound", ["no customer 'Ann Smith'", "no customer 'bo'", "no customer 'C. Jones'"], ["no product 'tea'"], frames=False)
said("values-slugs", "ruby", IDS, "What was asked for, without quotes.", "Kiosk::NotFound", ["Couldn't find Page green-tea", "Couldn't find Page about-us"])
said("values-json", "php", IDS, "A part of a body.", "JsonException", ["Syntax error near {\"id\":17,\"total\":12}", "Syntax error near {\"id\":99,\"total\":7}"])

# Names that compilers, proxies and bundlers make up.
def named(id, eco, reason, kind, text, *groups, file="", module=None):
    platform, sdk, place = PLACES[eco]
    book.add(f"{eco}-{id}", eco, NAMES, reason, *[[event(kind, text, frame(f"{file or place[0]}:{line}", func, place[2] if module is None else module, True), platform=platform, sdk=sdk) for func, line in g] for g in groups])


NPE = ("java.lang.NullPointerException", "")
named("made-cglib", "java", "Spring's proxies.", *NPE, [("Bank$$EnhancerBySpringCGLIB$$3f2a91bc.charge", 31), ("Bank$$SpringCGLIB$$0.charge", 31), ("Bank.charge", 31)], [("Bank$$EnhancerBySpringCGLIB$$3f2a91bc.refund", 31)], module="com.kiosk")
named("made-hibernate", "java", "Hibernate's proxies.", *NPE, [("Order$HibernateProxy$x7KqLm2P.getTotal", 12), ("Order$HibernateProxy$Zt81yWsA.getTotal", 12)], [("Order$HibernateProxy$x7KqLm2P.getName", 12)], module="com.kiosk")
named("made-groovy", "java", "Groovy's closures.", *NPE, [("_charge_closure1.doCall", 31), ("_charge_closure2.doCall", 31)], [("_refund_closure3.doCall", 31)], file="Bank.groovy", module="com.kiosk.Bank$")
named("made-scala", "scala", "Scala's functions.", *NPE, [("$anonfun$charge$1", 31), ("$anonfun$charge$2", 31), ("$anonfun$charge$1$adapted", 31)], [("$anonfun$refund$3", 31)])
named("made-clojure", "clojure", "Clojure's functions.", *NPE, [("invoke", 31), ("doInvoke", 31)], [("invoke", 52)])
named("made-fsharp", "dotnet", "F# numbers closures by line.", "System.NullReferenceException", "Object reference not set to an instance of an object.", [("charge@31-1.Invoke", 31), ("charge@31-2.Invoke", 31)], [("refund@52.Invoke", 52)], file="Bank.fs", module="Kiosk.Bank")
named("made-rust", "rust", "Closures and hashes of Rust.", "panic", "index out of bounds: the len is 0 but the index is 0", [("kiosk::bank::charge::{{closure}}", 31), ("kiosk::bank::charge::{closure#0}", 31), ("kiosk::bank::charge::{closure#1}::h3f2a91bc77aa0d12", 31)], [("kiosk::bank::refund::{{closure}}", 31)])
named("made-go", "go", "Go's functions in functions, and generics.", "runtime.boundsError", "index out of range [0] with length 0", [("charge.func1", 31), ("charge.func2.1", 31), ("charge.func1.gowrap1", 31)], [("refund.func1", 31)])
named("made-babel", "browser", "What compilers of JavaScript make of an async function.", "Error", "no price", [("_callee$", 31), ("_callee2$", 31)], [("_callee$", 52)])
named("made-php", "php", "Closures of PHP 8.3 and 8.4.", "Error", "Call to a member function price() on null", [("Kiosk\\Bank::Kiosk\\{closure}", 31), ("Kiosk\\Bank::{closure:Kiosk\\Bank::charge():30}", 31)], [("Kiosk\\Bank::Kiosk\\{closure}", 52)])

named("made-classes", "php", "Classes without a name, and what a client makes of NUL.", "LogicException", "no price", [("class@anonymous\x00/var/www/bank.php:12$4a::pay", 31), ("class@anonymous\ufffd/var/www/bank.php:12$7f::pay", 31), ("class@anonymous/var/www/bank.php:12$0::pay", 31)], [("class@anonymous\x00/var/www/bank.php:40$4b::refund", 31)])
book.add("python-made-cells", "python", NAMES, "Cells of notebooks are numbered when they run.", [event("ValueError", "no price", frame(f"<ipython-input-{n}>:9", "charge", "", True), platform="python", sdk="sentry.python") for n in ("12-a1b2c3d4e5f6", "31-ffeedd001122")], [event("ValueError", "no price", frame("<ipython-input-12-a1b2c3d4e5f6>:9", "refund", "", True), platform="python", sdk="sentry.python")])

# Files that bundlers, packers and servers name.
def served(id, cls, reason, *groups, eco="browser", name="charge", message="no price", line=1):
    platform, sdk, _ = PLACES[eco]
    book.add(f"{eco}-{id}", eco, cls, reason, *[[event("Error", message, frame(f"{file}:{line}:{4100 + n * 7}", name, "", True), platform=platform, sdk=sdk, release=f"1.{n}") for n, file in enumerate(g)] for g in groups])


HASH, PATHS, ROOTS = "build id in file name", "bundler path", "release path"
K = "https://kiosk.example"
served("file-remix", HASH, "Remix.", [f"{K}/build/routes/cart-3FSDQ2AB.js", f"{K}/build/routes/cart-XK7PL4MN.js"], [f"{K}/build/routes/user-3FSDQ2AB.js"])
served("file-svelte", HASH, "SvelteKit.", [f"{K}/_app/immutable/nodes/4.Dk3jsk8a.js", f"{K}/_app/immutable/nodes/4.BxTkQzLm.js"], [f"{K}/_app/immutable/nodes/7.Dk3jsk8a.js"])
served("file-gatsby", HASH, "Gatsby.", [f"{K}/component---src-pages-cart-js-3f2a9c1b77aa0d124e5f.js", f"{K}/component---src-pages-cart-js-9b8f3e4a5b6c7d8e0f1a.js"], [f"{K}/component---src-pages-user-js-3f2a9c1b77aa0d124e5f.js"])
served("file-ember", HASH, "Ember and Sprockets: MD5 and SHA-256.", [f"{K}/assets/kiosk-7ac0f3b2d91e4c5a8b6f7e0d1c2b3a49.js", f"{K}/assets/kiosk-{'0a1b2c3d' * 8}.js"], [f"{K}/assets/vendor-ui-7ac0f3b2d91e4c5a8b6f7e0d1c2b3a49.js"])
served("file-django", HASH, "Django's manifest.", [f"{K}/static/js/cart.55e7cbb9ba48.js", f"{K}/static/js/cart.0f1e2d3c4b5a.js"], [f"{K}/static/js/user.55e7cbb9ba48.js"])
served("file-astro", HASH, "Astro.", [f"{K}/_astro/Cart.B3x_9kQ1.js", f"{K}/_astro/Cart.Dq-rT2Ui.js"], [f"{K}/_astro/User.B3x_9kQ1.js"])
served("file-query", HASH, "A version in the query.", [f"{K}/js/app.js?id=3f2a91bc77", f"{K}/js/app.js?v=1697", f"{K}/js/app.js"], [f"{K}/js/admin.js?id=3f2a91bc77"])
served("file-qwik", HASH, "Names that are a hash alone: the function tells.", [f"{K}/build/q-4f3a2b1c.js", f"{K}/build/q-99ab01cd.js"])
served("file-next", HASH, "Next's ids of builds.", [f"{K}/_next/static/kQ3v9-ZbT1xYw7LmPd2Rs/_buildManifest.js", f"{K}/_next/static/a8F_k2LpQ7zXc4VbN6mT1/_buildManifest.js"], [f"{K}/_next/static/kQ3v9-ZbT1xYw7LmPd2Rs/_ssgManifest.js"])
served("file-words", HASH, "Names that people wrote.", [f"{K}/js/checkout-summary.js", f"{K}/js/checkout-summary.js?v=2"], [f"{K}/js/checkout-overview.js"], [f"{K}/js/checkout-Payments.js"])
served("file-electron", ROOTS, "Electron's archive, on three systems.", ["file:///Applications/Kiosk.app/Contents/Resources/app.asar/dist/main.js", "file:///C:/Users/ann/AppData/Local/Programs/kiosk/resources/app.asar/dist/main.js", "/opt/Kiosk/resources/app.asar/dist/main.js"], ["file:///Applications/Kiosk.app/Contents/Resources/app.asar/dist/tray.js"], line=31)
served("file-cordova", ROOTS, "Cordova's pages, on two systems.", ["file:///var/containers/Bundle/Application/0C9A1B7E-57D2-4F0E-9B8F-3E4A5B6C7D8E/Kiosk.app/www/js/cart.js", "file:///android_asset/www/js/cart.js"], ["file:///android_asset/www/js/user.js"], line=31)
served("file-webpack", PATHS, "webpack's addresses.", ["webpack:///./src/Cart.tsx", "webpack://kiosk/./src/Cart.tsx?3f2a", "webpack-internal:///./src/Cart.tsx", "webpack:///src/Cart.tsx"], ["webpack:///./src/User.tsx"], line=31)
served("file-next-app", PATHS, "Next's layers and routes.", ["webpack-internal:///(app-pages-browser)/./src/app/[locale]/(shop)/cart/page.tsx", "webpack-internal:///(rsc)/./src/app/[locale]/(shop)/cart/page.tsx", "webpack://_N_E/./src/app/[locale]/(shop)/cart/page.tsx", "turbopack:///[project]/src/app/[locale]/(shop)/cart/page.tsx", "[project]/src/app/[locale]/(shop)/cart/page.tsx [app-client] (ecmascript)"], ["webpack://_N_E/./src/app/[locale]/(shop)/user/page.tsx"], line=31)
served("file-vite", PATHS, "Vite's development server.", ["http://localhost:5173/src/Cart.vue?t=1795820000000", "http://192.168.1.7:5174/src/Cart.vue", "http://localhost:5173/src/Cart.vue?vue&type=script&setup=true&lang.ts"], ["http://localhost:5173/src/User.vue"], line=31)
served("file-angular", PATHS, "Angular's.", ["ng:///./src/app/cart.component.ts", "webpack:///./src/app/cart.component.ts"], ["webpack:///./src/app/user.component.ts"], line=31)


def deployed(id, eco, reason, *groups, func="charge", cls="ValueError", message="bad price"):
    platform, sdk, _ = PLACES[eco]
    book.add(f"{eco}-{id}", eco, ROOTS, reason, *[[event(cls, message, frame(f"{file}:31", func, "", True), platform=platform, sdk=sdk, release=f"1.{n}") for n, file in enumerate(g)] for g in groups])


deployed("root-packed", "python", "Packers unpack a program anew each time.", ["/tmp/_MEI3f2a91/kiosk/bank.py", "/tmp/_MEIb7c014/kiosk/bank.py"], ["/tmp/_MEI3f2a91/kiosk/cart.py"])
deployed("root-versions", "python", "Directories of versions.", ["/opt/kiosk-1.4.2/lib/bank.py", "/opt/kiosk-1.5.0/lib/bank.py"], ["/opt/kiosk-1.4.2/lib/cart.py"])
deployed("root-homes", "ruby", "A developer, a container, a server.", ["/home/ann/kiosk/lib/bank.rb", "/usr/src/app/lib/bank.rb", "/srv/kiosk/current/lib/bank.rb", "/var/www/kiosk/releases/8f2c41e/lib/bank.rb"], ["/home/ann/kiosk/lib/cart.rb"], cls="ArgumentError")
deployed("root-windows", "node", "Windows and Azure.", ["C:\\inetpub\\wwwroot\\kiosk\\src\\bank.js", "D:\\home\\site\\wwwroot\\src\\bank.js", "/home/site/wwwroot/src/bank.js"], ["C:\\inetpub\\wwwroot\\kiosk\\src\\cart.js"], cls="RangeError")
deployed("root-lambda", "node", "A function of a cloud, and a developer.", ["/var/task/src/bank.js", "file:///var/task/src/bank.js", "/Users/ann/Projects/kiosk/src/bank.js"], ["/var/task/src/cart.js"], cls="RangeError")
deployed("root-shared", "php", "Shared hosting.", ["/home/ann/public_html/src/Bank.php", "/var/www/html/src/Bank.php", "/var/www/vhosts/kiosk.example/httpdocs/src/Bank.php"], ["/home/ann/public_html/src/Cart.php"], cls="ValueError")

# The error inside, and groups.
def wrapped(id, eco, cls, reason, kind, text, *groups, top=None):
    """Groups are lists of lists of causes: class, message, line."""
    platform, sdk, _ = PLACES[eco]
    make = lambda cs: event(kind, text, *([top] if top else []), platform=platform, sdk=sdk, causes=[cause(c, m, at(eco, n)) for c, m, n in cs])
    book.add(f"{eco}-{id}", eco, cls, reason, *[[make(cs) for cs in g] for g in groups])


INSIDE, MEMBERS = "wrapper and cause", "members of a group"
wrapped("in-tasks", "python", MEMBERS, "TaskGroup: members come in any order.", "ExceptionGroup", "unhandled errors in a TaskGroup (2 sub-exceptions)", [[("ValueError", "bad price", 31), ("KeyError", "'sku'", 52)], [("KeyError", "'sku'", 52), ("ValueError", "bad price", 31)]], [[("ValueError", "bad price", 31)]], [[("OSError", "[Errno 28] No space left on device", 60)]])
wrapped("in-any", "node", MEMBERS, "Promise.any: how many members there are does not count.", "AggregateError", "All promises were rejected", [[("Error", "connect ECONNREFUSED 10.0.0.7:5432", 31)], [("Error", "connect ECONNREFUSED 10.0.0.7:5432", 31), ("Error", "connect ECONNREFUSED 10.0.0.9:5432", 31)]], [[("Error", "connect ETIMEDOUT 10.0.0.7:5432", 31)]])
wrapped("in-joined", "go", MEMBERS, "errors.Join.", "*errors.joinError", "a\nb", [[("*fs.PathError", "open /srv/a: permission denied", 31), ("*net.OpError", "dial tcp 10.0.0.7:443: i/o timeout", 40)], [("*net.OpError", "dial tcp 10.0.0.9:443: i/o timeout", 40), ("*fs.PathError", "open /srv/b: permission denied", 31)]], [[("*fs.PathError", "open /srv/a: permission denied", 31)]])
wrapped("in-futures", "java", INSIDE, "Futures wrap what failed in them, twice at times.", "java.util.concurrent.ExecutionException", "java.lang.IllegalStateException: no price", [[("java.lang.IllegalStateException", "no price", 31)], [("java.util.concurrent.CompletionException", "java.lang.IllegalStateException: no price", 60), ("java.lang.IllegalStateException", "no price", 31)]],
        [[("java.lang.IllegalArgumentException", "no user", 52)]])
wrapped("in-spring", "java", INSIDE, "Spring's wrappers of what a bean's method threw.", "jakarta.servlet.ServletException", "Request processing failed: java.lang.IllegalStateException: no price", [[("java.lang.IllegalStateException", "no price", 31)]], [[("java.lang.ArithmeticException", "/ by zero", 52)]])
wrapped("in-messenger", "php", INSIDE, "Symfony's messenger.", "Symfony\\Component\\Messenger\\Exception\\HandlerFailedException", 'Handling "Kiosk\\Pay" failed: no price', [[("DomainException", "no price", 31)]], [[("LogicException", "no user", 52)]])
wrapped("in-types", "dotnet", INSIDE, "A type that could not be made ready.", "System.TypeInitializationException", "The type initializer for 'Kiosk.Bank' threw an exception.", [[("System.IO.FileNotFoundException", "Could not find file 'bank.json'.", 31)]], [[("System.FormatException", "The input string 'x' was not in a correct format.", 52)]])
wrapped("in-views", "ruby", INSIDE, "A view wraps what failed in it.", "ActionView::Template::Error", "undefined method 'price' for nil", [[("NoMethodError", "undefined method 'price' for nil", 31)]], [[("NoMethodError", "undefined method 'name' for nil", 52)]])
wrapped("in-tasks", "dotnet", MEMBERS, "Task.WhenAll.", "System.AggregateException", "One or more errors occurred.", [[("System.TimeoutException", "too slow", 31), ("System.FormatException", "bad price", 52)], [("System.FormatException", "bad price", 52), ("System.TimeoutException", "too slow", 31)]], [[("System.UnauthorizedAccessException", "no key", 60)]])

# Helpers on top.
def helped(id, eco, reason, kind, helper, *groups, text="a value is missing"):
    platform, sdk, place = PLACES[eco]
    book.add(f"{eco}-{id}", eco, "helper on top", reason, *[[event(kind, m or text, frame(helper[0], helper[1], helper[2], helper[3]), at(eco, line, func=func), platform=platform, sdk=sdk) for func, line, m in g] for g in groups])


helped("help-repo", "elixir", "Ecto's functions with an exclamation mark, which the client does not mark.", "Ecto.NoResultsError", ("lib/ecto/repo/queryable.ex:164", "Ecto.Repo.Queryable.one!/3", "Ecto.Repo.Queryable", None), [("Kiosk.Bank.charge/1", 31, ""), ("Kiosk.Bank.charge/1", 31, "expected at least one result but got none in query")], [("Kiosk.Bank.refund/1", 52, "")])
helped("help-objects", "java", "Objects.requireNonNull, unmarked.", "java.lang.NullPointerException", ("Objects.java:233", "requireNonNull", "java.util.Objects", None), [("charge", 31, "price"), ("charge", 31, "the price")], [("refund", 52, "price")])
helped("help-invariant", "browser", "An invariant of the application; what is missing is in the text.", "Error", ("https://kiosk.example/src/invariant.js:3", "invariant", "", True), [("charge", 31, "Invariant failed: price is required"), ("charge", 31, "Invariant failed: the price is required")], [("refund", 52, "Invariant failed: price is required")], [("charge", 31, "Invariant failed: a customer has no address")])
helped("help-webmozart", "php", "An assertion library, in vendor.", "Webmozart\\Assert\\InvalidArgumentException", ("/app/vendor/webmozart/assert/src/Assert.php:2060", "Webmozart\\Assert\\Assert::notNull", "", True), [("Kiosk\\Bank::charge", 31, "Expected a value other than null.")], [("Kiosk\\Bank::refund", 52, "Expected a value other than null.")])
helped("help-must", "go", "template.Must.", "*errors.errorString", ("/usr/local/go/src/html/template/template.go:368", "Must", "html/template", None), [("main.charge", 31, "template: x: unexpected EOF")], [("main.refund", 52, "template: x: unexpected EOF")])
helped("help-unwrap", "rust", "unwrap in std.", "panic", ("/rustc/3f2a/library/core/src/option.rs:2040", "core::option::unwrap_failed", "", None), [("kiosk::bank::charge", 31, "called `Option::unwrap()` on a `None` value")], [("kiosk::bank::refund", 52, "called `Option::unwrap()` on a `None` value")])
helped("help-throwif", "dotnet", "ArgumentNullException.ThrowIfNull.", "System.ArgumentNullException", ("/_/src/libraries/System.Private.CoreLib/src/System/ArgumentNullException.cs:60", "ThrowIfNull", "System.ArgumentNullException", None), [("Charge", 31, "Value cannot be null. (Parameter 'price')")], [("Refund", 52, "Value cannot be null. (Parameter 'price')")])

# Lines that move, and two places; the client sends the text of the line.
def lined(id, eco, cls, reason, *groups, kind="kiosk.Declined", text="cannot ship", **more):
    """Groups are lists of release and line, or release, line and function."""
    platform, sdk, place = PLACES[eco]
    book.add(f"{eco}-{id}", eco, cls, reason, *[[event(kind, text, frame(f"{place[0]}:{p[1]}", p[2] if len(p) > 2 else "", "", True) | {"func": p[2] if len(p) > 2 else place[1]}, platform=platform, sdk=sdk, release=p[0]) for p in g] for g in groups])


for eco in ("ruby", "php", "dart", "swift", "elixir", "kotlin", "dotnet"):
    lined("moved", eco, "line shift", "Lines came and went above, in three releases.", [("1.0", 31), ("1.1", 36), ("1.2", 29)], [("1.0", 90, "other"), ("1.1", 95, "other")])
    lined("guards", eco, "two places", "Two guards of one function, far from one another, in two releases.", [("1.0", 31), ("1.1", 33)], [("1.0", 60), ("1.1", 62)])

def guarded(id, eco, reason, *groups, kind="kiosk.Declined"):
    """Groups are lists of release, line, and the texts of the line and of the one above."""
    platform, sdk, place = PLACES[eco]
    book.add(f"{eco}-{id}", eco, "two places", reason, *[[event(kind, "cannot ship", frame(f"{place[0]}:{line}", place[1], "", True) | {"source": f"{above}\n{text}"}, platform=platform, sdk=sdk, release=r) for r, line, above, text in g] for g in groups])


THROW = 'raise Declined("cannot ship")'
for eco in ("python", "ruby", "php", "node"):
    guarded("swapped", eco, "A guard moved to the line where another one was: the lines tell.", [("1.0", 31, "if not paid:", THROW), ("1.1", 33, "if not paid:", THROW)], [("1.0", 33, "if blocked:", THROW), ("1.1", 35, "if blocked:", THROW)])
    guarded("edited", eco, "A guard was edited, and stands where it was.", [("1.0", 31, "if not paid:", THROW), ("1.1", 31, "if not order.paid:", THROW)], [("1.0", 60, "if blocked:", THROW)])

# What engines say, without frames.
def worded(id, reason, *groups):
    book.add(f"browser-{id}", "browser", "engine function name", reason, *[[event(c, m, platform="javascript", sdk="sentry.javascript.browser") for c, m in g] for g in groups])


T, R = "TypeError", "ReferenceError"
worded("words-const", "A constant is assigned.", [(T, "Assignment to constant variable."), (T, "invalid assignment to const 'price'"), (T, "Attempted to assign to readonly property.")], [(T, "Cannot add property price, object is not extensible"), (T, "can't define property \"price\": Object is not extensible"), (T, "Attempting to define property on object that is not extensible.")])
worded("words-undeclared", "A variable is not declared.", [(R, "price is not defined"), (R, "Can't find variable: price"), (R, "Property 'price' doesn't exist")], [(R, "basket is not defined"), (R, "Can't find variable: basket")])
worded("words-null", "A property of null.", [(T, "Cannot read properties of null (reading 'price')"), (T, "null is not an object (evaluating 'basket.items.price')"), (T, "can't access property \"price\", basket is null")], [(T, "Cannot read properties of null (reading 'name')"), (T, "null is not an object (evaluating 'basket.name')")])
worded("words-call", "What is called is no function.", [(T, "basket.pay is not a function"), (T, "basket.pay is not a function. (In 'basket.pay()', 'basket.pay' is undefined)"), (T, "this.basket.pay is not a function")], [(T, "basket.ship is not a function"), (T, "basket.ship is not a function. (In 'basket.ship(1)', 'basket.ship' is undefined)")])
worded("words-circle", "A circle in JSON.", [(T, "Converting circular structure to JSON\n    --> starting at object with constructor 'Cart'"), (T, "cyclic object value"), (T, "JSON.stringify cannot serialize cyclic structures.")], [(T, "Reduce of empty array with no initial value"), (T, "reduce of empty array with no initial value")])

# Versions of runtimes word one mistake differently.
def worded_by(id, eco, reason, kind, *groups):
    said(id, eco, "other version of runtime", reason, kind, *groups)


worded_by("version-keys", "php", "PHP 7 and 8.", "ErrorException", ["Undefined index: total", 'Undefined array key "total"'], ["Undefined variable: user", "Undefined variable $user"], ["Trying to get property 'price' of non-object", 'Attempt to read property "price" on null'])
worded_by("version-nil", "ruby", "Ruby 3.3 and 3.4.", "NoMethodError", ["undefined method `price' for nil:NilClass", "undefined method 'price' for nil"], ["undefined method `name' for nil:NilClass", "undefined method 'name' for nil"])
worded_by("version-npe", "java", "Java 11 says nothing, Java 17 what was null.", "java.lang.NullPointerException", ["", 'Cannot invoke "com.kiosk.Item.price()" because "item" is null', 'Cannot invoke "com.kiosk.Item.price()" because "<local1>" is null'])
worded_by("version-format", "dotnet", ".NET 7 and 8.", "System.FormatException", ["Input string was not in a correct format.", "The input string 'x1' was not in a correct format."])

# A helper that fails for itself.
book.add("python-help-itself", "python", "helper on top", "A mistake in a helper is the helper's, whoever called it.", *[[event("AttributeError", "'NoneType' object has no attribute 'price'", frame(f"kiosk/bank.py:{line}", "check_price", "kiosk.bank", True), frame(f"kiosk/shop.py:{n}", f, "kiosk.shop", True), platform="python", sdk="sentry.python") for n, f in ((12, "pay"), (40, "ship"))] for line in (31, 52)])
book.add("browser-help-itself", "browser", "helper on top", "A mistake in a helper is the helper's, whoever called it.", *[[event("TypeError", "Cannot read properties of undefined (reading 'price')", frame(f"https://kiosk.example/src/bank.js:{line}:5", "assertPrice", "", True), frame(f"https://kiosk.example/src/shop.js:{n}:9", f, "", True), platform="javascript", sdk="sentry.javascript.browser") for n, f in ((12, "pay"), (40, "ship"))] for line in (31, 52)])

# Templates.
book.add("php-compiled-twig", "php", "compiled template", "Twig's classes and files are hashes; the template is in the text.", *[[event("Twig\\Error\\RuntimeError", f'Variable "{v}" does not exist in "shop/{t}.html.twig" at line 7.', frame(f"/var/cache/prod/twig/{h[:2]}/{h}.php:{n}", f"__TwigTemplate_{h}::doDisplay", "", False), frame("/src/Shop.php:20", "Kiosk\\Shop::show", "", True), platform="php", sdk="sentry.php")
         for h, n in hs] for v, t, hs in (("total", "cart", (("3f2a91bc77aa0d12", 41), ("9b8f3e4a5b6c7d8e", 44))), ("user", "user", (("1b7d90c2a4e84f0b", 41), ("77ab01cd99ef2345", 41))))])
book.add("python-compiled-jinja", "python", "compiled template", "Jinja's frames have the template's name.", *[[event("jinja2.exceptions.UndefinedError", f"'{v}' is undefined", frame(f"/srv/kiosk/releases/{r}/templates/{t}.html:7", "top-level template code" if n else "block 'main'", "", True), platform="python", sdk="sentry.python", release=r) for n, r in ((0, "20261101"), (0, "20261108"))] for v, t in (("total", "cart"), ("user", "user"))])
book.write()
