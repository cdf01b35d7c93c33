import com.fasterxml.jackson.databind.ObjectMapper;
import io.sentry.*;
import java.io.*;
import java.util.*;
import java.util.concurrent.Callable;

/** Runs cases of a class, and prints what Sentry's client for Java sends of each. args: RELEASE, CLASS with a static method cases(), PACKAGE of the application or -, names of cases. */
public class Capture {
  static final List<SentryEvent> sent = new ArrayList<>();
  static SentryOptions options;

  public static void main(String[] args) throws Exception {
    Sentry.init(o -> {
      options = o;
      o.setDsn("http://key@127.0.0.1:9/1");
      o.setRelease(args[0]);
      if (!args[2].equals("-")) o.addInAppInclude(args[2]);
      o.setBeforeSend((event, hint) -> { sent.add(event); return null; });
      o.setEnableUncaughtExceptionHandler(false);
      o.setEnableDeduplication(false);
    });
    @SuppressWarnings("unchecked")
    Map<String, Callable<Object>> cases = (Map<String, Callable<Object>>) Class.forName(args[1]).getMethod("cases").invoke(null);
    for (String name : Arrays.asList(args).subList(3, args.length)) {
      sent.clear();
      try { cases.get(name).call(); throw new Error("nothing was thrown by " + name); } catch (Throwable e) { print(name, e); }
    }
    System.exit(0);
  }

  static void print(String name, Throwable e) throws IOException {
    Sentry.captureException(e);
    StringWriter json = new StringWriter(), trace = new StringWriter();
    options.getSerializer().serialize(sent.get(0), json);
    e.printStackTrace(new PrintWriter(trace));
    System.out.println("EVENT" + new ObjectMapper().writeValueAsString(Map.of("name", name, "event", new ObjectMapper().readTree(json.toString()), "trace", trace.toString())));
  }
}
