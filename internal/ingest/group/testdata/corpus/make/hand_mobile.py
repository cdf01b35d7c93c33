"""react-native.jsonl, swift.jsonl, dart.jsonl, android.jsonl and native.jsonl, by hand, from the formats that the clients of these platforms send."""
from corpus import Book, cause, event, frame, releases

# React Native: Hermes prints an address of bytecode in release builds, and clients put "app://" in front of the bundle's name.
rn = Book("react-native", "hand", platform="javascript", sdk="sentry.javascript.react-native", release="com.kiosk@1.0+10")
BUNDLE = "app:///index.android.bundle"


def hermes(cls, message, *places, bundle=BUNDLE, **more):
    """Places are "function column"."""
    frames = [frame(f"{bundle}:1:{column}", name if name != "?" else "", app=True) for name, column in (p.rsplit(" ", 1) for p in places)]
    return event(cls, message, *frames, **more)


TYPE = "TypeError"
rn.add("rn-columns", "react-native", "build id in file name", "Two releases: all code is on one line, and its columns move.",
       [hermes(TYPE, "Cannot read property 'price' of undefined", f"total {n}", f"render {n + 500}", release=r) for n, r in ((712345, "com.kiosk@1.0+10"), (714001, "com.kiosk@1.1+11"))],
       [hermes(TYPE, "Cannot read property 'name' of undefined", f"label {n}", f"render {n + 700}", release=r) for n, r in ((712399, "com.kiosk@1.0+10"), (714055, "com.kiosk@1.1+11"))])
rn.add("rn-anonymous", "react-native", "engine function name", "Hermes writes anonymous, JavaScriptCore nothing; both run the same bundle of two platforms.",
       [hermes(TYPE, "Cannot read property 'price' of undefined", "anonymous 712345", "total 712300"), hermes(TYPE, "undefined is not an object (evaluating 'item.price')", "? 702111", "total 702066", bundle="app:///main.jsbundle")],
       [hermes(TYPE, "Cannot read property 'price' of undefined", "anonymous 812345", "refund 812300"), hermes(TYPE, "undefined is not an object (evaluating 'item.price')", "? 802111", "refund 802066", bundle="app:///main.jsbundle")])
rn.add("rn-platforms", "react-native", "bundler path", "The bundle has another name on iOS and Android; the function is the same.",
       [hermes("Error", "no cart", "pay 712345"), hermes("Error", "no cart", "pay 702345", bundle="app:///main.jsbundle")], [hermes("Error", "no cart", "refund 712399"), hermes("Error", "no cart", "refund 702399", bundle="app:///main.jsbundle")])


def metro(path, func, line, cls="Error", message="no cart"):
    return event(cls, message, frame(f"{path}:{line}:11", func, app=True), frame("/Users/ann/kiosk/node_modules/react-native/Libraries/Renderer/implementations/ReactFabric-dev.js:2905:20", "callCallback", app=False))


rn.add("rn-metro", "react-native", "bundler path", "Metro's development server: addresses of machines, platforms and queries; absolute paths of two developers.",
       [metro("/Users/ann/kiosk/src/Cart.tsx", "pay", 31), metro("/home/bo/code/kiosk/src/Cart.tsx", "pay", 31)], [metro("/Users/ann/kiosk/src/Cart.tsx", "refund", 52), metro("/home/bo/code/kiosk/src/Cart.tsx", "refund", 52)])
rn.add("rn-metro-address", "react-native", "bundler path", "The address of the development server has the platform and switches.",
       [metro(f"http://{h}/index.bundle?platform={p}&dev=true&lazy=true&minify=false&app=com.kiosk&modulesOnly=false&runModule=true", "pay", 120031) for h, p in (("192.168.1.5:8081", "ios"), ("10.0.2.2:8081", "android"), ("localhost:8081", "ios"))],
       [metro(f"http://{h}/index.bundle?platform={p}&dev=true", "refund", 120052) for h, p in (("192.168.1.5:8081", "ios"), ("10.0.2.2:8081", "android"))])
rn.add("rn-updates", "react-native", "release path", "An update over the air lies in a directory of its own, and iOS gives the application a new one at each start.",
       [hermes("Error", "no cart", "pay 712345", bundle=b) for b in ("/var/mobile/Containers/Data/Application/0C9A1B7E-57D2-4F0E-9B8F-3E4A5B6C7D8E/Library/Application Support/.expo-internal/f2a9c81b7d6e5f4a.bundle",
                                                                    "/var/mobile/Containers/Data/Application/7D1E2F3A-1111-4C2B-8A9D-0F1E2D3C4B5A/Library/Application Support/.expo-internal/9b8f3e4a5b6c7d8e.bundle")],
       [hermes("Error", "no cart", "refund 712399", bundle="/var/mobile/Containers/Data/Application/0C9A1B7E-57D2-4F0E-9B8F-3E4A5B6C7D8E/Library/Application Support/.expo-internal/f2a9c81b7d6e5f4a.bundle")])
rn.add("rn-native", "react-native", "codes in message", "Errors of native modules have codes.", [event("Error", "E_NO_CAMERA: camera is not available", frame(BUNDLE + ":1:5", "promiseMethodWrapper", app=True))],
       [event("Error", "E_DENIED: camera was denied by the user", frame(BUNDLE + ":1:5", "promiseMethodWrapper", app=True))])
rn.add("rn-helper", "react-native", "helper on top", "invariant of a library, marked like all other frames, is called for two reasons.",
       [hermes("Invariant Violation", "Tried to register two views with the same name RNCart", "invariant 1200", f"register {n}") for n in (5100, 5210)],
       [hermes("Invariant Violation", "requireNativeComponent: \"RNMap\" was not found in the UIManager.", "invariant 1200", f"lookup {n}") for n in (9100, 9210)])
rn.add("rn-rejections", "react-native", "empty title", "Promises that were rejected with an object, and with nothing.", [event("Error", "Object captured as promise rejection with keys: code, message")], [event("Error", "undefined")])
rn.write()

# Swift and Objective-C. Frames have an image, and a symbol that is mangled or not.
swift = Book("swift", "hand", platform="cocoa", sdk="sentry.cocoa", release="com.kiosk@1.0+10")


def crash(cls, message, *frames, **more):
    """Frames are "image|function|file:line"; the application is Kiosk."""
    all = []
    for f in frames:
        image, func, where = (f.split("|") + ["", ""])[:3]
        one = frame(where or "", func, image, image == "Kiosk")
        all.append({k: v for k, v in one.items() if v != ""})
    return event(cls, message, *all, **more)


NIL = "Fatal error: Unexpectedly found nil while unwrapping an Optional value"
swift.add("swift-shift", "swift", "line shift", "Imports were added.", releases(*[crash("EXC_BREAKPOINT", f"Cart.swift:{n}: {NIL}", f"Kiosk|Cart.total()|Cart.swift:{n}") for n in (31, 36)]), releases(*[crash("EXC_BREAKPOINT", f"Cart.swift:{n}: {NIL}", f"Kiosk|Cart.names()|Cart.swift:{n}") for n in (40, 45)]))
swift.add("swift-closures", "swift", "generated name", "closure #1 in …, and the reabstraction thunks around it.",
          [crash("EXC_BREAKPOINT", NIL, *t, "Kiosk|closure #1 in Cart.pay(_:)|Cart.swift:52") for t in ([], ["Kiosk|partial apply for closure #1 in Cart.pay(_:)|<compiler-generated>:0"], ["Kiosk|thunk for @escaping @callee_guaranteed () -> ()|<compiler-generated>:0"])],
          [crash("EXC_BREAKPOINT", NIL, "Kiosk|closure #2 in Cart.pay(_:)|Cart.swift:58"), crash("EXC_BREAKPOINT", NIL, "Kiosk|thunk for @escaping @callee_guaranteed () -> ()|<compiler-generated>:0", "Kiosk|closure #2 in Cart.pay(_:)|Cart.swift:58")])
swift.add("swift-async", "swift", "async frames", "Continuations of async functions: (1) await resume partial function for …, and TQ0_ in mangled names.",
          [crash("Declined", "bank said no", f"Kiosk|{p}Cart.pay(_:)|Cart.swift:52") for p in ("", "(1) await resume partial function for ", "(2) suspend resume partial function for ")],
          [crash("Declined", "bank said no", f"Kiosk|{p}Cart.refund(_:)|Cart.swift:70") for p in ("", "(1) await resume partial function for ")])
swift.add("swift-runtime", "swift", "helper on top", "The runtime's assertion is on top.", [crash("EXC_BREAKPOINT", "Fatal error: Index out of range", "libswiftCore.dylib|_assertionFailure(_:_:file:line:flags:)", "libswiftCore.dylib|_ArrayBuffer._checkInoutAndNativeTypeCheckedBounds(_:wasNativeTypeChecked:)", f"Kiosk|{f}") for f in ("Cart.first()|Cart.swift:20",)],
          [crash("EXC_BREAKPOINT", "Fatal error: Index out of range", "libswiftCore.dylib|_assertionFailure(_:_:file:line:flags:)", "libswiftCore.dylib|_ArrayBuffer._checkInoutAndNativeTypeCheckedBounds(_:wasNativeTypeChecked:)", "Kiosk|Shop.second()|Shop.swift:22")])
swift.add("swift-selectors", "swift", "addresses", "unrecognized selector: the instance's address is in the text, the selector is the news.",
          [crash("NSInvalidArgumentException", f"-[__NSCFString price]: unrecognized selector sent to instance {a}", "CoreFoundation|__exceptionPreprocess", "Kiosk|-[KCart total]|KCart.m:31") for a in ("0x2836c0f40", "0x600000c08e20", "0x281f0e1c0")],
          [crash("NSInvalidArgumentException", f"-[__NSCFString name]: unrecognized selector sent to instance {a}", "CoreFoundation|__exceptionPreprocess", "Kiosk|-[KCart label]|KCart.m:40") for a in ("0x2836c0f41", "0x600000c08e21")])
swift.add("swift-domains", "swift", "codes in message", "NSError: domain and code say what happened: -1001 is a timeout, -1009 no network.",
          [event("NSURLErrorDomain", f"The request timed out. (Code: -1001) UserInfo={{NSErrorFailingURLKey=https://kiosk.example/orders/{n}}}") for n in (17, 4711)],
          [event("NSURLErrorDomain", f"The Internet connection appears to be offline. (Code: -1009) UserInfo={{NSErrorFailingURLKey=https://kiosk.example/orders/{n}}}") for n in (17, 99)])
swift.add("swift-codes", "swift", "codes in message", "Enums of the application, bridged: only the number differs.", [crash("Kiosk.PayError", "Code: 1 - declined(order: 17)", "Kiosk|Cart.pay(_:)|Cart.swift:52"), crash("Kiosk.PayError", "Code: 1 - declined(order: 99)", "Kiosk|Cart.pay(_:)|Cart.swift:52")],
          [crash("Kiosk.PayError", "Code: 2 - expired(order: 17)", "Kiosk|Cart.pay(_:)|Cart.swift:52"), crash("Kiosk.PayError", "Code: 2 - expired(order: 4)", "Kiosk|Cart.pay(_:)|Cart.swift:52")])
swift.add("swift-hang", "swift", "words in message", "App hangs, with how long.", [crash("App Hanging", f"App hanging for at least {n} ms.", "libsystem_kernel.dylib|semaphore_wait_trap", "Kiosk|Store.load()|Store.swift:12") for n in (2000, 2400)],
          [crash("App Hanging", "App hanging for at least 2000 ms.", "libsystem_kernel.dylib|semaphore_wait_trap", "Kiosk|Images.decode()|Images.swift:40")])
swift.add("swift-generics", "swift", "generated name", "specialized and generic specialization, at the optimizer's pleasure.", [crash("EXC_BREAKPOINT", NIL, f"Kiosk|{p}Cart.total()|Cart.swift:31") for p in ("", "specialized ", "generic specialization <Int> of ", "merged ")],
          [crash("EXC_BREAKPOINT", NIL, f"Kiosk|{p}Cart.names()|Cart.swift:40") for p in ("", "specialized ")])
swift.write()

# Dart and Flutter.
dart = Book("dart", "hand", platform="dart", sdk="sentry.dart.flutter", release="kiosk@1.0+10")
GAP = {"path": "<asynchronous suspension>", "app": False}


def thrown(cls, message, *frames, **more):
    """Frames are "package:kiosk/cart.dart:31:7 Cart.pay"; "-" is a gap."""
    all = []
    for f in frames:
        if f == "-":
            all.append(GAP)
            continue
        where, func = f.split(" ", 1)
        one = frame(where, func, app="package:kiosk/" in where)
        one["path"], one["file"] = one["file"], one["file"].split("/")[-1] if one["file"].startswith("package:kiosk") else one["file"].removeprefix("package:")
        all.append(one)
    trace = "\n".join(f"#{i}      {f.split(' ', 1)[1]} ({f.split(' ', 1)[0]})" if f != "-" else "<asynchronous suspension>" for i, f in enumerate(frames))
    return event(cls, message, *all, trace=trace, **more)


K = "package:kiosk/"
FL = "package:flutter/src/widgets/framework.dart:5590:27 ComponentElement.performRebuild"
dart.add("dart-shift", "dart", "line shift", "Imports were added.", releases(*[thrown("StateError", "Bad state: no price", f"{K}cart.dart:{n}:7 Cart.price", f"{K}main.dart:9:3 main") for n in (31, 36)]), releases(*[thrown("StateError", "Bad state: no price", f"{K}cart.dart:{n}:7 Cart.label", f"{K}main.dart:9:3 main") for n in (40, 45)]))
dart.add("dart-gaps", "dart", "async frames", "Where the gaps are depends on what was awaited.", [thrown("StateError", "Bad state: no price", f"{K}cart.dart:31:7 Cart.price", *g, f"{K}main.dart:9:3 main") for g in ([], ["-"], ["-", "dart:async/zone.dart:1399:13 _rootRun", "-"])],
         [thrown("StateError", "Bad state: no user", "-", f"{K}user.dart:12:5 loadUser", "-"), thrown("StateError", "Bad state: no user", f"{K}user.dart:12:5 loadUser", "-")])
dart.add("dart-closures", "dart", "generated name", "Closures: Cart.pay.<anonymous closure>, and <fn> in web builds.", [thrown("StateError", "Bad state: no price", f"{K}cart.dart:31:7 Cart.pay.{c}") for c in ("<anonymous closure>", "<fn>")], [thrown("StateError", "Bad state: no price", f"{K}cart.dart:52:7 Cart.refund.{c}") for c in ("<anonymous closure>", "<fn>")])
dart.add("dart-lists", "dart", "helper on top", "RangeError and firstWhere of Dart's libraries.", [thrown("RangeError", f"RangeError (length): Invalid value: Valid value range is empty: {n}", "dart:core-patch/growable_array.dart:264:36 List.[]", f"{K}cart.dart:20:9 Cart.first") for n in (0, 3)],
         [thrown("RangeError", f"RangeError (length): Invalid value: Valid value range is empty: {n}", "dart:core-patch/growable_array.dart:264:36 List.[]", f"{K}shop.dart:22:9 Shop.second") for n in (0, 1)])
dart.add("dart-build", "dart", "helper on top", "Errors of build methods surface in Flutter's framework; the first frame of the application is the widget.", [thrown("_TypeError", "Null check operator used on a null value", f"{K}cart_page.dart:44:21 CartPage.build", "package:flutter/src/widgets/framework.dart:5541:28 StatelessElement.build", FL)],
         [thrown("_TypeError", "Null check operator used on a null value", f"{K}user_page.dart:50:21 UserPage.build", "package:flutter/src/widgets/framework.dart:5541:28 StatelessElement.build", FL)])
dart.add("dart-layout", "dart", "codes in message", "Layout errors have no frame of the application; the number of pixels differs.", [thrown("FlutterError", f"A RenderFlex overflowed by {n} pixels on the {side}.") for n, side in ((12, "right"), ("3.5", "right"))], [thrown("FlutterError", "A RenderFlex overflowed by 99 pixels on the bottom.")])
dart.add("dart-platform", "dart", "codes in message", "PlatformException: the code is the news.", [thrown("PlatformException", f"PlatformException(sign_in_canceled, The user cancelled, {d}, null)", "package:flutter/src/services/message_codecs.dart:652:7 StandardMethodCodec.decodeEnvelope", "-", "package:flutter/src/services/platform_channel.dart:310:18 MethodChannel._invokeMethod", "-", f"{K}login.dart:14:5 login") for d in ("null", "req-4711")],
         [thrown("PlatformException", "PlatformException(network_error, com.google.android.gms.common.api.ApiException: 7: , null, null)", "package:flutter/src/services/message_codecs.dart:652:7 StandardMethodCodec.decodeEnvelope", "-", "package:flutter/src/services/platform_channel.dart:310:18 MethodChannel._invokeMethod", "-", f"{K}login.dart:14:5 login")])
dart.add("dart-sockets", "dart", "ids in message", "Ports of the client's side, and addresses.", [thrown("SocketException", f"SocketException: Connection refused (OS Error: Connection refused, errno = 111), address = kiosk.example, port = {p}", "dart:io-patch/socket_patch.dart:1186:7 _NativeSocket.startConnect", "-", f"{K}api.dart:20:9 Api.get") for p in (49152, 50231, 61000)],
         [thrown("SocketException", f"SocketException: Failed host lookup: 'kiosk.example' (OS Error: No address associated with hostname, errno = 7)", "dart:io-patch/socket_patch.dart:1186:7 _NativeSocket.startConnect", "-", f"{K}api.dart:20:9 Api.get")])
dart.add("dart-obfuscated", "dart", "addresses", "Obfuscated: classes and addresses change with a build, the text stays.", [event(c, "Bad state: no price", {"file": "", "func": a, "module": "libapp.so", "app": True}) for c, a in (("xA", "0x7f00001a2b3c"), ("xA", "0x7a10001a2b3c"))], [event("xB", "Bad state: no user", {"func": "0x7f00009a2b3c", "module": "libapp.so", "app": True})])
dart.add("dart-versions", "dart", "other version of runtime", "Flutter was upgraded: the lines of its frames moved.", [thrown("_TypeError", "Null check operator used on a null value", f"{K}cart_page.dart:44:21 CartPage.build", f"package:flutter/src/widgets/framework.dart:{n}:28 StatelessElement.build") for n in (5541, 5687)],
         [thrown("_TypeError", "Null check operator used on a null value", f"{K}user_page.dart:50:21 UserPage.build", f"package:flutter/src/widgets/framework.dart:{n}:28 StatelessElement.build") for n in (5541, 5687)])
dart.write()

# Android, with names that R8 made short.
android = Book("android", "hand", platform="java", sdk="sentry.java.android", release="com.kiosk@1.0+10")


def java(cls, message, *frames, causes=(), **more):
    """Frames are "com.kiosk.Cart.pay Cart.java:31"."""
    all = []
    for f in frames:
        name, _, where = f.partition(" ")
        module, _, func = name.rpartition(".")
        all.append(frame(where or "Unknown Source", func, module, module.startswith("com.kiosk")))
    return event(cls, message, *all, causes=causes, trace=f"{cls}: {message}\n" + "\n".join(f"\tat {f.split(' ')[0]}({f.split(' ')[1] if ' ' in f else 'Unknown Source'})" for f in frames), **more)


HANDLER = "android.os.Handler.handleCallback Handler.java:938"
android.add("android-shift", "android", "line shift", "Lines were added.", releases(*[java("java.lang.IllegalStateException", "no cart", f"com.kiosk.Cart.pay Cart.java:{n}", HANDLER) for n in (31, 36)]), releases(*[java("java.lang.IllegalStateException", "no cart", f"com.kiosk.Cart.refund Cart.java:{n}", HANDLER) for n in (40, 45)]))
android.add("android-lambdas", "android", "generated name", "D8 makes a class for each lambda: ExternalSyntheticLambda3, or -$$Lambda$… before; the number changes with the build.",
            [java("java.lang.IllegalStateException", "no cart", f"com.kiosk.MainActivity.lambda$onCreate${n} MainActivity.java:44", f"com.kiosk.MainActivity$$ExternalSyntheticLambda{n}.onClick Unknown", HANDLER) for n in (0, 2)],
            [java("java.lang.IllegalStateException", "no user", f"com.kiosk.MainActivity.lambda$onCreate${n} MainActivity.java:51", f"com.kiosk.MainActivity$$ExternalSyntheticLambda{n}.onClick Unknown", HANDLER) for n in (1, 3)])
android.add("android-lambda-top", "android", "generated name", "The synthetic class itself is on top.", [java("java.lang.NullPointerException", "Attempt to invoke virtual method 'int com.kiosk.Cart.size()' on a null object reference", f"com.kiosk.CartView$$ExternalSyntheticLambda{n}.run D8$$SyntheticClass", HANDLER) for n in (0, 4)],
            [java("java.lang.NullPointerException", "Attempt to invoke virtual method 'int com.kiosk.User.age()' on a null object reference", f"com.kiosk.UserView$$ExternalSyntheticLambda{n}.run D8$$SyntheticClass", HANDLER) for n in (0, 4)])
android.add("android-start", "android", "wrapper and cause", "Unable to start activity wraps what onCreate threw; its own text has the component.",
            [java("java.lang.RuntimeException", f"Unable to start activity ComponentInfo{{com.kiosk/com.kiosk.CartActivity}}: java.lang.IllegalStateException: no cart {n}", "android.app.ActivityThread.performLaunchActivity ActivityThread.java:3449", causes=[cause("java.lang.IllegalStateException", f"no cart {n}", frame("CartActivity.java:20", "onCreate", "com.kiosk.CartActivity", True))]) for n in (17, 99)],
            [java("java.lang.RuntimeException", "Unable to start activity ComponentInfo{com.kiosk/com.kiosk.CartActivity}: java.lang.NullPointerException: user", "android.app.ActivityThread.performLaunchActivity ActivityThread.java:3449", causes=[cause("java.lang.NullPointerException", "user", frame("CartActivity.java:33", "onCreate", "com.kiosk.CartActivity", True))])])
android.add("android-views", "android", "addresses", "Views and windows are written with addresses.", [java("android.view.WindowManager$BadTokenException", f"Unable to add window -- token android.os.BinderProxy@{a} is not valid; is your activity running?", "android.view.ViewRootImpl.setView ViewRootImpl.java:1113", "com.kiosk.Dialogs.show Dialogs.java:12") for a in ("3f2a9c8", "c8f9a21", "9b8f3e4")],
            [java("android.view.WindowManager$BadTokenException", "Unable to add window -- token android.os.BinderProxy@3f2a9c8 is not valid; is your activity running?", "android.view.ViewRootImpl.setView ViewRootImpl.java:1113", "com.kiosk.Toasts.show Toasts.java:12")])
DECLINED, GONE = [cause("com.kiosk.Declined", f"order {n} was declined", frame("Bank.java:31", "pay", "com.kiosk.Bank", True)) for n in (17, 99)], [cause("java.io.IOException", f"no route to 10.0.0.{n}", frame("Api.java:12", "get", "com.kiosk.Api", True)) for n in (5, 77)]
RX = "io.reactivex.rxjava3.internal.operators.mixed.Combined.onError Combined.java:90"
android.add("android-composite", "android", "members of a group", "RxJava's CompositeException counts its members; they say what failed.",
            [java("io.reactivex.rxjava3.exceptions.CompositeException", "2 exceptions occurred. ", RX, causes=DECLINED), java("io.reactivex.rxjava3.exceptions.CompositeException", "3 exceptions occurred. ", RX, causes=DECLINED + DECLINED[:1])],
            [java("io.reactivex.rxjava3.exceptions.CompositeException", "2 exceptions occurred. ", RX, causes=GONE), java("io.reactivex.rxjava3.exceptions.CompositeException", "3 exceptions occurred. ", RX, causes=GONE + GONE[:1])])
android.add("android-versions", "android", "other version of runtime", "Versions of Android: other lines in the system, other words.", [java("java.lang.IllegalStateException", "no cart", "com.kiosk.Cart.pay Cart.java:31", f"android.os.Handler.handleCallback Handler.java:{n}", f"android.app.ActivityThread.main ActivityThread.java:{n * 8}") for n in (873, 938, 958)],
            [java("java.lang.IllegalStateException", "no cart", "com.kiosk.Cart.refund Cart.java:40", f"android.os.Handler.handleCallback Handler.java:{n}") for n in (873, 938)])
android.add("android-anr", "android", "words in message", "Not responding, at two places.", [java("com.kiosk.ApplicationNotResponding", f"Application Not Responding for at least {n} ms.", "com.kiosk.Store.load Store.java:12") for n in (5000, 5012)], [java("com.kiosk.ApplicationNotResponding", "Application Not Responding for at least 5000 ms.", "com.kiosk.Images.decode Images.java:40")])
android.write()

# Machine code, C and C++.
native = Book("native", "hand", platform="native", sdk="sentry.native", release="kiosk@1.0")


def segv(cls, message, *frames, **more):
    """Frames are "function|file:line|image"."""
    all = []
    for f in frames:
        func, where, image = (f.split("|") + ["", ""])[:3]
        one = frame(where, func, image, None)
        all.append({k: v for k, v in one.items() if v != ""})
    return event(cls, message, *all, **more)


MAIN = "main|/src/kiosk/main.cpp:9"
native.add("native-shift", "native", "line shift", "Lines were added.", releases(*[segv("SIGSEGV", "Segfault", f"Cart::total() const|/src/kiosk/cart.cpp:{n}", MAIN) for n in (31, 36)]), releases(*[segv("SIGSEGV", "Segfault", f"Cart::names() const|/src/kiosk/cart.cpp:{n}", MAIN) for n in (40, 45)]))
native.add("native-address", "native", "addresses", "The address of the fault is in the text.", [segv("SIGSEGV", f"Segmentation fault at {a}", "Cart::total() const|/src/kiosk/cart.cpp:31", MAIN) for a in ("0x0", "0x7ffd1c2b3a40", "0x18")], [segv("SIGSEGV", "Segmentation fault at 0x0", "Cart::names() const|/src/kiosk/cart.cpp:40", MAIN)])
native.add("native-frames", "native", "addresses", "No symbols: addresses in an image that is loaded elsewhere each time.", [segv("SIGSEGV", "Segfault", f"{a}||kiosk") for a in ("0x55d1b8c01a2b", "0x5601f3a01a2b")])
native.add("native-lambdas", "native", "generated name", "Lambdas and clones of the optimizer.", [segv("SIGABRT", "Abort", f"{f}|/src/kiosk/cart.cpp:52", MAIN) for f in ("Cart::pay()::{lambda(int)#1}::operator()(int) const", "Cart::pay()::$_0::operator()(int) const")],
           [segv("SIGABRT", "Abort", f"{f}|/src/kiosk/cart.cpp:70", MAIN) for f in ("Cart::refund()::{lambda(int)#1}::operator()(int) const", "Cart::refund()::$_0::operator()(int) const")])
native.add("native-clones", "native", "generated name", "foo.cold, foo.part.0, foo.isra.0, foo.constprop.0, foo.llvm.123 are foo.", [segv("SIGSEGV", "Segfault", f"cart_total{s}|/src/kiosk/cart.c:31", "main|/src/kiosk/main.c:9") for s in ("", ".part.0", ".constprop.1", ".isra.0")], [segv("SIGSEGV", "Segfault", f"cart_names{s}|/src/kiosk/cart.c:40", "main|/src/kiosk/main.c:9") for s in ("", ".cold")])
native.add("native-abort", "native", "helper on top", "abort, raise and terminate are on top.", [segv("SIGABRT", "Abort", "pthread_kill|./nptl/pthread_kill.c:44|libc.so.6", "raise|../sysdeps/posix/raise.c:26|libc.so.6", "abort|./stdlib/abort.c:79|libc.so.6", "std::terminate()||libstdc++.so.6", "__cxa_throw||libstdc++.so.6", f) for f in ("Cart::pay(int)|/src/kiosk/cart.cpp:52",)],
           [segv("SIGABRT", "Abort", "pthread_kill|./nptl/pthread_kill.c:44|libc.so.6", "raise|../sysdeps/posix/raise.c:26|libc.so.6", "abort|./stdlib/abort.c:79|libc.so.6", "std::terminate()||libstdc++.so.6", "__cxa_throw||libstdc++.so.6", "Cart::refund(int)|/src/kiosk/cart.cpp:70")])
native.add("native-assert", "native", "helper on top", "__assert_fail is on top; the text has the place.", [segv("SIGABRT", f"kiosk: /src/kiosk/cart.c:{n}: cart_total: Assertion `items' failed.", "abort|./stdlib/abort.c:79|libc.so.6", "__assert_fail|./assert/assert.c:101|libc.so.6", f"cart_total|/src/kiosk/cart.c:{n}") for n in (31,)],
           [segv("SIGABRT", "kiosk: /src/kiosk/cart.c:40: cart_names: Assertion `items' failed.", "abort|./stdlib/abort.c:79|libc.so.6", "__assert_fail|./assert/assert.c:101|libc.so.6", "cart_names|/src/kiosk/cart.c:40")])
native.add("native-memory", "native", "helper on top", "Memory functions are on top, in spellings that depend on the processor.", [segv("SIGSEGV", "Segfault", f"{f}|../sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S:317|libc.so.6", "Cart::copy(char const*)|/src/kiosk/cart.cpp:90") for f in ("__memcpy_avx_unaligned_erms", "__memmove_sse2_unaligned_erms", "__memcpy_evex_unaligned_erms")],
           [segv("SIGSEGV", "Segfault", f"{f}|../sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S:317|libc.so.6", "Shop::name(char const*)|/src/kiosk/shop.cpp:12") for f in ("__memcpy_avx_unaligned_erms", "__memmove_sse2_unaligned_erms")])
native.add("native-signals", "native", "codes in message", "One place, two signals: a bad pointer, and an abort.", [segv("SIGSEGV", "Segfault", "Cart::pay(int)|/src/kiosk/cart.cpp:52")], [segv("SIGFPE", "FloatingPointException", "Cart::pay(int)|/src/kiosk/cart.cpp:52")])
native.add("native-roots", "native", "release path", "Built in directories of CI.", [segv("SIGSEGV", "Segfault", f"Cart::total() const|{r}/cart.cpp:31", f"main|{r}/main.cpp:9") for r in ("/src/kiosk", "/builds/7f3a91/0/kiosk", "/home/ann/kiosk")], [segv("SIGSEGV", "Segfault", f"Cart::names() const|{r}/cart.cpp:40") for r in ("/src/kiosk", "/builds/7f3a91/0/kiosk")])
native.write()
