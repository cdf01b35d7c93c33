"""dotnet.jsonl and unity.jsonl, by hand, from the formats that .NET's stack traces and Sentry's clients for .NET and Unity have."""
from corpus import Book, cause, event, frame, releases


def at(method, file="", line=0, app=True):
    """A frame: method is Namespace.Class.Method(arguments) or, in a state machine of the compiler, Namespace.Class.<Method>d__4.MoveNext()."""
    kind, _, name = method.split("(")[0].rpartition(".")
    where = f"{file.split('/')[-1]}:{line}" if file else ""
    return frame(where, name, kind.replace(".<", "+<"), app, file) | {"text": f"   at {method}" + (f" in {file}:line {line}" if file else "")}


def thrown(cls, message, *frames, causes=(), **more):
    inner = "".join(f"\n ---> {c['class']}: {c['message']}" + "".join("\n" + f["text"] for f in c["frames"]) + "\n   --- End of inner exception stack trace ---" for c in causes)
    trace = f"{cls}: {message}{inner}\n" + "\n".join(f["text"] for f in frames)
    plain = lambda fs: [{k: v for k, v in f.items() if k != "text"} for f in fs]
    return event(cls, message, *plain(frames), causes=[cause(c["class"], c["message"], *plain(c["frames"])) for c in causes], trace=trace, **more)


LIB = False
LINQ = at("System.Linq.ThrowHelper.ThrowNoElementsException()", app=LIB)
FIRST = at("System.Linq.Enumerable.First[TSource](IEnumerable`1 source)", app=LIB)
MVC = at("Microsoft.AspNetCore.Mvc.Infrastructure.ControllerActionInvoker.InvokeActionMethodAsync()", app=LIB)
POOL = at("System.Threading.Tasks.Task.InnerInvoke()", app=LIB)
CART, BANK, JOBS = "/src/Kiosk/Cart.cs", "/src/Kiosk/Bank.cs", "/src/Kiosk/Jobs.cs"
net = Book("dotnet", "hand", platform="csharp", sdk="sentry.dotnet.aspnetcore", release="kiosk@1.0")
NRE, GONE = "System.NullReferenceException", "Object reference not set to an instance of an object."
INVALID, EMPTY = "System.InvalidOperationException", "Sequence contains no elements"


def pay(line, n=4):
    return thrown(NRE, GONE, at(f"Kiosk.Cart.<PayAsync>d__{n}.MoveNext()", CART, line), MVC)


def refund(line, n=5):
    return thrown(NRE, GONE, at(f"Kiosk.Cart.<RefundAsync>d__{n}.MoveNext()", CART, line), MVC)


net.add("dotnet-shift", "dotnet", "line shift", "Usings were added above an async method.", releases(pay(31), pay(34), pay(47)), releases(refund(52), refund(55)))
net.add("dotnet-machines", "dotnet", "generated name", "The compiler numbers state machines: a method that was added above makes d__4 d__5. The lines are the same file's.",
        [pay(31, 4), pay(31, 5)], [refund(52, 5), refund(52, 6)])
net.add("dotnet-enhanced", "dotnet", "generated name", "Newer clients write the method in place of the state machine.",
        [pay(31), thrown(NRE, GONE, at("Kiosk.Cart.PayAsync(Int32 id)", CART, 31), MVC)], [refund(52), thrown(NRE, GONE, at("Kiosk.Cart.RefundAsync(Int32 id)", CART, 52), MVC)])


def closure(n, m, method, line, b=0):
    return thrown("System.FormatException", "Input string was not in a correct format.", at("System.Number.ThrowFormatException()", app=LIB),
                  at(f"Kiosk.Cart.<>c__DisplayClass{n}_{m}.<{method}>b__{b}(Item i)", CART, line), at("System.Linq.Enumerable.SelectListIterator`2.ToList()", app=LIB))


net.add("dotnet-closures", "dotnet", "generated name", "Closures are numbered by the compiler; the method in <> is what stays.",
        [closure(4, 0, "Totals", 61), closure(5, 0, "Totals", 61), closure(6, 1, "Totals", 61)], [closure(7, 0, "Names", 70), closure(8, 0, "Names", 70)])
net.add("dotnet-two-lambdas", "dotnet", "generated name", "Two lambdas of one method, on different lines, are b__0 and b__1.", [closure(4, 0, "Totals", 61, 0), closure(5, 0, "Totals", 61, 0)],
        [closure(4, 0, "Totals", 63, 1), closure(5, 0, "Totals", 63, 1)])
net.add("dotnet-local", "dotnet", "generated name", "Local functions: <Ship>g__Check|7_0.",
        [thrown(INVALID, "cannot ship", at("Kiosk.Cart.<Ship>g__Check|7_0(Item i)", CART, 80), MVC), thrown(INVALID, "cannot ship", at("Kiosk.Cart.<Ship>g__Check|8_0(Item i)", CART, 80), MVC)],
        [thrown(INVALID, "cannot ship", at("Kiosk.Cart.<Pack>g__Check|9_0(Item i)", CART, 95), MVC)])
net.add("dotnet-first", "dotnet", "helper on top", "First() of an empty list, in two places.",
        [thrown(INVALID, EMPTY, LINQ, FIRST, at("Kiosk.Cart.Cheapest()", CART, 20), MVC), thrown(INVALID, EMPTY, LINQ, FIRST, at("Kiosk.Cart.Cheapest()", CART, 20), POOL)],
        [thrown(INVALID, EMPTY, LINQ, FIRST, at("Kiosk.Bank.Main()", BANK, 20), MVC), thrown(INVALID, EMPTY, LINQ, FIRST, at("Kiosk.Bank.Main()", BANK, 20), POOL)])


def unmarked(*names):
    return thrown(INVALID, EMPTY, *[at(n, f, l, None) for n, f, l in names])


net.add("dotnet-first-unmarked", "dotnet", "helper on top", "The same from a program without symbols, whose client marks nothing: only namespaces tell.",
        [unmarked(("System.Linq.Enumerable.First[TSource](IEnumerable`1 source)", "", 0), ("Kiosk.Cart.Cheapest()", "", 0)),
         unmarked(("System.Linq.ThrowHelper.ThrowNoElementsException()", "", 0), ("System.Linq.Enumerable.First[TSource](IEnumerable`1 source)", "", 0), ("Kiosk.Cart.Cheapest()", "", 0))],
        [unmarked(("System.Linq.Enumerable.First[TSource](IEnumerable`1 source)", "", 0), ("Kiosk.Bank.Main()", "", 0)),
         unmarked(("System.Linq.ThrowHelper.ThrowNoElementsException()", "", 0), ("System.Linq.Enumerable.First[TSource](IEnumerable`1 source)", "", 0), ("Kiosk.Bank.Main()", "", 0))])


def sql(number, text, method="SaveAsync", line=12):
    return thrown("Microsoft.Data.SqlClient.SqlException", text, at("Microsoft.Data.SqlClient.SqlConnection.OnError(SqlException exception)", app=LIB),
                  at(f"Kiosk.Store.<{method}>d__3.MoveNext()", "/src/Kiosk/Store.cs", line))


net.add("dotnet-sql", "dotnet", "codes in message", "A deadlock (1205), a timeout (-2) and a duplicate (2627) of one statement.",
        [sql(1205, "Transaction (Process ID 61) was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction."),
         sql(1205, "Transaction (Process ID 114) was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction.")],
        [sql(-2, "Execution Timeout Expired.  The timeout period elapsed prior to completion of the operation or the server is not responding.")],
        [sql(2627, "Violation of UNIQUE KEY constraint 'UQ_Customers_Email'. Cannot insert duplicate key in object 'dbo.Customers'. The duplicate key value is (ann@example.org)."),
         sql(2627, "Violation of UNIQUE KEY constraint 'UQ_Customers_Email'. Cannot insert duplicate key in object 'dbo.Customers'. The duplicate key value is (bo@example.net).")])


def com(code, text):
    return thrown("System.Runtime.InteropServices.COMException", f"{text} (0x{code})", at("Kiosk.Printer.Print(String job)", "/src/Kiosk/Printer.cs", 44))


net.add("dotnet-hresult", "dotnet", "codes in message", "HRESULTs: 0x800706BA is a server that is not there, 0x80070005 a missing permission.",
        [com("800706BA", "The RPC server is unavailable.")], [com("80070005", "Access is denied.")], [com("80040154", "Class not registered")])
TIMEOUT = {"class": "System.TimeoutException", "message": "The bank did not answer within 5.01 s", "frames": [at("Kiosk.Bank.<GetAsync>d__2.MoveNext()", BANK, 31)]}
SLOWER = TIMEOUT | {"message": "The bank did not answer within 4.98 s"}
REFUSED = {"class": "System.UnauthorizedAccessException", "message": "The key was refused", "frames": [at("Kiosk.Bank.<SignAsync>d__3.MoveNext()", BANK, 58)]}


def aggregate(*inner):
    return thrown("System.AggregateException", "One or more errors occurred. " + " ".join(f"({i['message']})" for i in inner), at("System.Threading.Tasks.Task.ThrowIfExceptional(Boolean includeTaskCanceledExceptions)", app=LIB),
                  at("System.Threading.Tasks.Task`1.get_Result()", app=LIB), at("Kiosk.Jobs.Run(Job job)", JOBS, 15), causes=inner)


net.add("dotnet-aggregate", "dotnet", "wrapper and cause", ".Result throws an AggregateException: the causes are a timeout and a refused key.", [aggregate(TIMEOUT), aggregate(SLOWER)], [aggregate(REFUSED)])
net.add("dotnet-when-all", "dotnet", "members of a group", "Task.WhenAll: one bank was slow, or two were.", [aggregate(TIMEOUT), aggregate(TIMEOUT, SLOWER)], [aggregate(REFUSED), aggregate(REFUSED, REFUSED)])


def invoked(inner):
    return thrown("System.Reflection.TargetInvocationException", "Exception has been thrown by the target of an invocation.", at("System.RuntimeMethodHandle.InvokeMethod(Object target, Void** arguments, Signature sig, Boolean isConstructor)", app=LIB),
                  at("System.Reflection.MethodBaseInvoker.InvokeWithNoArgs(Object obj, BindingFlags invokeAttr)", app=LIB), at("Kiosk.Jobs.Run(Job job)", JOBS, 22), causes=(inner,))


net.add("dotnet-invocation", "dotnet", "wrapper and cause", "TargetInvocationException of jobs that are called by reflection.", [invoked(TIMEOUT), invoked(SLOWER)], [invoked(REFUSED)])


def update(inner):
    return thrown("Microsoft.EntityFrameworkCore.DbUpdateException", "An error occurred while saving the entity changes. See the inner exception for details.",
                  at("Microsoft.EntityFrameworkCore.Update.ReaderModificationCommandBatch.ExecuteAsync(IRelationalConnection connection, CancellationToken cancellationToken)", app=LIB),
                  at("Kiosk.Store.<SaveAsync>d__3.MoveNext()", "/src/Kiosk/Store.cs", 12), causes=({"class": "Npgsql.PostgresException", "message": inner, "frames": []},))


net.add("dotnet-update", "dotnet", "wrapper and cause", "DbUpdateException says nothing; SQLSTATE and constraint are in the cause.",
        [update('23505: duplicate key value violates unique constraint "IX_Customers_Email"\n\nDETAIL: Key ("Email")=(ann@example.org) already exists.'),
         update('23505: duplicate key value violates unique constraint "IX_Customers_Email"\n\nDETAIL: Key ("Email")=(bo@example.net) already exists.')],
        [update('23503: insert or update on table "Orders" violates foreign key constraint "FK_Orders_Customers"\n\nDETAIL: Key ("CustomerId")=(55) is not present in table "Customers".')],
        [update("40001: could not serialize access due to concurrent update")])


def built(root):
    return thrown(NRE, GONE, at("Kiosk.Cart.Total()", f"{root}/Kiosk/Cart.cs", 31), MVC)


def built_too(root):
    return thrown(NRE, GONE, at("Kiosk.Cart.Names()", f"{root}/Kiosk/Cart.cs", 35), MVC)


net.add("dotnet-roots", "dotnet", "release path", "Built by CI in a numbered directory, and on a developer's Windows.",
        [built("/home/vsts/work/1/s"), built("/home/vsts/work/27/s"), built("D:\\a\\kiosk\\kiosk".replace("\\", "/")), built("/src")],
        [built_too("/home/vsts/work/1/s"), built_too("/home/vsts/work/27/s")])
net.add("dotnet-arguments", "dotnet", "words in message", "A parameter's name is the news.", [thrown("System.ArgumentNullException", "Value cannot be null. (Parameter 'source')", at("System.Linq.ThrowHelper.ThrowArgumentNullException(ExceptionArgument argument)", app=LIB), at("Kiosk.Cart.Total()", CART, 31))],
        [thrown("System.ArgumentNullException", "Value cannot be null. (Parameter 'key')", at("System.ThrowHelper.ThrowArgumentNullException(String name)", app=LIB), at("Kiosk.Cart.Find()", CART, 38))])
net.add("dotnet-keys", "dotnet", "ids in message", "The key in quotes is a customer's.", [thrown("System.Collections.Generic.KeyNotFoundException", f"The given key '{k}' was not present in the dictionary.", at("System.Collections.Generic.Dictionary`2.get_Item(TKey key)", app=LIB), at("Kiosk.Cart.Price(String sku)", CART, 44)) for k in ("SKU-17", "SKU-99", "x y")],
        [thrown("System.Collections.Generic.KeyNotFoundException", f"The given key '{k}' was not present in the dictionary.", at("System.Collections.Generic.Dictionary`2.get_Item(TKey key)", app=LIB), at("Kiosk.Cart.Label(String sku)", CART, 49)) for k in ("SKU-17", "SKU-4")])
net.add("dotnet-proxies", "dotnet", "generated name", "Castle's and EF's proxies are numbered: Castle.Proxies.BankProxy_3.",
        [thrown(NRE, GONE, at("Kiosk.Bank.Pay(Int32 n)", BANK, 12), at(f"Castle.Proxies.Invocations.IBank_Pay{n}.InvokeMethodOnTarget()", app=None), at(f"Castle.Proxies.BankProxy{n}.Pay(Int32 n)", app=None)) for n in ("", "_1", "_7")],
        [thrown(NRE, GONE, at("Kiosk.Bank.Refund(Int32 n)", BANK, 19), at(f"Castle.Proxies.BankProxy{n}.Refund(Int32 n)", app=None)) for n in ("", "_1")])
net.add("dotnet-proxy-top", "dotnet", "generated name", "A proxy without a target throws itself; its number is the process's.",
        [thrown(NRE, GONE, at(f"Castle.Proxies.BankProxy{n}.Pay(Int32 n)", app=None), at("Kiosk.Jobs.Run(Job job)", JOBS, 15)) for n in ("", "_1", "_7")],
        [thrown(NRE, GONE, at(f"Castle.Proxies.BankProxy{n}.Pay(Int32 n)", app=None), at("Kiosk.Jobs.Retry(Job job)", JOBS, 29)) for n in ("", "_2")])
net.add("dotnet-razor", "dotnet", "compiled template", "Pages are compiled to classes with names of their paths; the state machine has a number.",
        [thrown(NRE, GONE, at(f"AspNetCoreGeneratedDocument.Views_Cart_Index.<ExecuteAsync>d__{n}.MoveNext()", "/src/Kiosk/Views/Cart/Index.cshtml", 7), MVC) for n in (12, 14, 19)],
        [thrown(NRE, GONE, at(f"AspNetCoreGeneratedDocument.Views_Cart_Receipt.<ExecuteAsync>d__{n}.MoveNext()", "/src/Kiosk/Views/Cart/Receipt.cshtml", 7), MVC) for n in (12, 14)])
net.write()

unity = Book("unity", "hand", platform="csharp", sdk="sentry.dotnet.unity", release="kiosk@1.0")


def game(cls, message, *frames, **more):
    """Frames are "Class.Method file:line app" in short; without a file in a release build."""
    all = []
    for f in frames:
        name, _, where = f.partition(" ")
        kind, _, func = name.rpartition(".")
        all.append(frame(where, func, kind, not kind.startswith(("UnityEngine", "System", "Cysharp"))))
    return event(cls, message, *all, **more)


NONE = "Object reference not set to an instance of an object"
unity.add("unity-shift", "unity", "line shift", "Lines were added to a script.", releases(*[game("NullReferenceException", NONE, f"Player.Update Assets/Scripts/Player.cs:{n}") for n in (31, 36)]), releases(*[game("NullReferenceException", NONE, f"Enemy.Update Assets/Scripts/Enemy.cs:{n}") for n in (31, 36)]))
unity.add("unity-il2cpp", "unity", "addresses", "IL2CPP without symbols: <00000000000000000000000000000000>:0 in place of a file.", [game("NullReferenceException", NONE, f"Player.Update <{mvid}>:0") for mvid in ("0" * 32, "9f2c41e06d3b4a1f8e7a5c3d2b1a0f9e", "1b7d90c2a4e84f0b9c55d1e2f3a4b5c6")], [game("NullReferenceException", NONE, f"Enemy.Update <{mvid}>:0") for mvid in ("0" * 32, "9f2c41e06d3b4a1f8e7a5c3d2b1a0f9e")])
unity.add("unity-coroutines", "unity", "generated name", "A coroutine is Player+<Respawn>d__12.MoveNext; the number changes with the class.", [game("NullReferenceException", NONE, f"Player+<Respawn>d__{n}.MoveNext Assets/Scripts/Player.cs:60", "UnityEngine.SetupCoroutine.InvokeMoveNext /Users/bokken/build/output/unity/unity/Runtime/Export/Scripting/Coroutines.cs:17") for n in (12, 13, 15)],
          [game("NullReferenceException", NONE, f"Player+<Fade>d__{n}.MoveNext Assets/Scripts/Player.cs:88") for n in (14, 15)])
unity.add("unity-missing", "unity", "words in message", "MissingReferenceException: the type that was destroyed is the news.", [game("MissingReferenceException", "The object of type 'Rigidbody' has been destroyed but you are still trying to access it.", f"{c}.FixedUpdate") for c in ("Player", "Player")][:1], [game("MissingReferenceException", "The object of type 'AudioSource' has been destroyed but you are still trying to access it.", "Player.FixedUpdate")])
unity.add("unity-assets", "unity", "ids in message", "Addresses of bundles have a hash of their content.", [game("RemoteProviderException", f"Unable to load asset bundle from : https://cdn.kiosk.example/Android/level{n}_assets_all_{h}.bundle", "UnityEngine.ResourceManagement.Complete") for n, h in ((1, "3f2a9c81b7d6e5f4a3b2c1d0e9f8a7b6"), (1, "a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2"))], [game("RemoteProviderException", "Unknown error in AsyncOperation", "UnityEngine.ResourceManagement.Complete")])
unity.add("unity-logs", "unity", "empty title", "Debug.LogError of two texts, without a trace.", [event("", "Shader error in 'Custom/Water'", release="kiosk@1.0")], [event("", "Shader error in 'Custom/Glass'", release="kiosk@1.0")])
unity.add("unity-async", "unity", "async frames", "UniTask's frames differ by platform.", [game("TimeoutException", "no answer of the lobby", "Lobby+<Join>d__4.MoveNext Assets/Scripts/Lobby.cs:20", f"Cysharp.Threading.Tasks.{x}") for x in ("UniTaskCompletionSourceCore`1.TrySetException", "AsyncUniTaskMethodBuilder.SetException")], [game("TimeoutException", "no answer of the lobby", "Lobby+<Leave>d__5.MoveNext Assets/Scripts/Lobby.cs:40")])
unity.write()
