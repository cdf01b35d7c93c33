import clojure.lang.*;
import java.util.*;
import java.util.concurrent.Callable;

/** The cases of a program in Clojure. */
public class Loader {
  public static Map<String, Callable<Object>> cases() throws Exception {
    RT.init();
    for (int i = Integer.getInteger("earlier", 0); i > 0; i--) clojure.lang.Compiler.load(new java.io.StringReader("(fn [x] (map (fn [y] y) x))")); // other code is compiled first, so names get other numbers
    clojure.lang.Compiler.loadFile(System.getProperty("program"));
    Map<String, Callable<Object>> cases = new HashMap<>();
    for (Map.Entry<?, ?> e : ((Map<?, ?>) RT.var("kiosk.cart", "all").deref()).entrySet()) cases.put((String) e.getKey(), () -> ((IFn) e.getValue()).invoke());
    return cases;
  }
}
