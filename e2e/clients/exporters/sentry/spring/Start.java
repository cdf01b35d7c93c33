package shop;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Serves the app, and opens the address of the test. */
@SpringBootApplication
public class Start {
  public static void main(String[] args) throws Exception {
    var app = SpringApplication.run(Start.class, "--server.port=0", "--server.address=127.0.0.1");
    var test = URI.create("http://127.0.0.1:" + app.getEnvironment().getProperty("local.server.port") + "/sett-test");
    HttpClient.newHttpClient().send(HttpRequest.newBuilder(test).build(), HttpResponse.BodyHandlers.discarding());
    System.exit(SpringApplication.exit(app));
  }
}
