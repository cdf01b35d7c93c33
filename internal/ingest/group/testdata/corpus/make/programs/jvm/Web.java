package com.kiosk.web;

import java.util.*;
import java.util.concurrent.Callable;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.*;
import org.springframework.core.Ordered;
import org.springframework.stereotype.*;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.servlet.*;
// NEW RELEASE

@SpringBootApplication
public class Web {
  public static class Declined extends RuntimeException { Declined(String m) { super(m); } }

  public static class Bank {
    public String pay(String order) { throw new Declined("order " + order + " was declined"); }
    public String refund(String order) { throw new Declined("order " + order + " was declined"); }
  }

  @Bean public Bank bank() { // through a proxy, as @Transactional makes one
    ProxyFactory f = new ProxyFactory(new Bank());
    f.setProxyTargetClass(true);
    f.addAdvice((org.aopalliance.intercept.MethodInterceptor) i -> i.proceed());
    return (Bank) f.getProxy();
  }

  // NEW LINES
  @RestController
  public static class Orders {
    final Bank bank;
    public Orders(Bank bank) { this.bank = bank; }
    @GetMapping("/pay/{order}") public String pay(@PathVariable("order") String order) { return bank.pay(order); }
    @GetMapping("/refund/{order}") public String refund(@PathVariable("order") String order) { return bank.refund(order); }
    @GetMapping("/number/{n}") public String number(@PathVariable("n") int n) { return "" + n; }
    @GetMapping("/need") public String need(@RequestParam("total") int total) { return "" + total; }
    @GetMapping("/lost") public String lost(@RequestParam("count") int count) { return "" + count; }
    @GetMapping("/list") public Object list() { return List.of().get(3); }
    @GetMapping("/first") public Object first() { return new ArrayList<>().iterator().next(); }
    @GetMapping("/wrapped/{how}") public Object wrapped(@PathVariable("how") String how) {
      try { return how.equals("bank") ? new Bank().pay("1") : List.of().get(3); } catch (RuntimeException e) { throw new IllegalStateException("checkout failed", e); }
    }
  }

  static Throwable last;

  @Bean public HandlerExceptionResolver resolver() {
    class Resolver implements HandlerExceptionResolver, Ordered {
      public int getOrder() { return Ordered.HIGHEST_PRECEDENCE; }
      public ModelAndView resolveException(jakarta.servlet.http.HttpServletRequest q, jakarta.servlet.http.HttpServletResponse a, Object h, Exception e) { last = e; return null; }
    }
    return new Resolver();
  }

  public static Map<String, Callable<Object>> cases() {
    var context = (ServletWebServerApplicationContext) SpringApplication.run(Web.class, "--server.port=0", "--server.address=127.0.0.1", "--logging.level.root=OFF", "--spring.main.banner-mode=off");
    int port = context.getWebServer().getPort();
    return new AbstractMap<>() {
      public Callable<Object> get(Object path) {
        return () -> {
          ((java.net.HttpURLConnection) new java.net.URL("http://127.0.0.1:" + port + path).openConnection()).getResponseCode();
          throw (Exception) last;
        };
      }
      public Set<Entry<String, Callable<Object>>> entrySet() { return Set.of(); }
    };
  }
}
