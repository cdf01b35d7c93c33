import io.sentry.CheckIn;
import io.sentry.CheckInStatus;
import io.sentry.MonitorConfig;
import io.sentry.MonitorSchedule;
import io.sentry.Sentry;
import io.sentry.protocol.User;

/** A shop that fails, and reports it with the Sentry SDK. */
public class Exceptions {
  static class Refused extends RuntimeException {
    Refused(String message, Throwable cause) { super(message, cause); }
  }

  static void charge(int order) {
    try {
      Integer.parseInt("x");
    } catch (NumberFormatException e) {
      throw new Refused("payment refused for order " + order, e);
    }
  }

  public static void main(String[] args) throws InterruptedException {
    Sentry.init(options -> {
      options.setDsn(System.getenv("SENTRY_DSN"));
      options.setEnvironment("staging");
      options.setRelease("shop@4f2a9c1");
      options.setServerName("web-1");
      options.addInAppInclude("Exceptions");
    });
    User user = new User();
    user.setId("7");
    user.setEmail("ann@example.test");
    Sentry.setUser(user);
    Sentry.setTag("plan", "gold");
    try {
      charge(42);
    } catch (Refused e) {
      Sentry.captureException(e);
    }
    Exception closing = new IllegalStateException("the till does not close");
    closing.addSuppressed(new IllegalArgumentException("the key is bent"));
    Sentry.captureException(closing);
    Sentry.captureMessage("stock is low");
    CheckIn checkIn = new CheckIn("nightly-import", CheckInStatus.OK);
    MonitorConfig config = new MonitorConfig(MonitorSchedule.crontab("*/5 * * * *"));
    config.setCheckinMargin(3L);
    config.setTimezone("Europe/Vienna");
    checkIn.setMonitorConfig(config);
    Sentry.captureCheckIn(checkIn);
    Thread packer = new Thread(() -> { throw new ArithmeticException("no box is large enough"); }, "packer");
    packer.start();
    packer.join();
    Sentry.flush(20_000);
    Sentry.close();
  }
}
