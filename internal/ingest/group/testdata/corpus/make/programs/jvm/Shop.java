package com.kiosk;

import java.lang.reflect.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;
import java.util.stream.*;
// NEW RELEASE

public class Shop {
  static class Declined extends RuntimeException { Declined(String m) { super(m); } Declined(String m, Throwable c) { super(m, c); } }
  static class Gone extends RuntimeException { Gone(String m) { super(m); } }
  public interface Bank { String pay(String order); String refund(String order); }
  public static class Card implements Bank {
    public String pay(String order) { throw new Declined("bank said no"); }
    public String refund(String order) { throw new Declined("bank said no"); }
  }
  record Item(String name, Integer price) {}

  // NEW LINES
  static Object order(String id) { throw new Gone("order " + id + " is gone"); }
  static Object invoice(String id) { throw new Gone("invoice " + id + " is gone"); }
  static Object total(List<Item> items) { return items.stream().mapToInt(i -> i.price()).sum(); }
  static Object names(List<Item> items) { return items.stream().map(i -> i.name().trim()).collect(Collectors.toList()); }
  static Object onSet() { return later(() -> { throw new Declined("set button failed"); }); }
  static Object onUnset() { return later(() -> { throw new Declined("unset button failed"); }); }
  static Object later(Supplier<Object> s) { return s.get(); }
  static Object street(Map<String, String> o) { return Objects.requireNonNull(o.get("street"), "a value is missing"); }
  static Object currency(Map<String, String> o) { return Objects.requireNonNull(o.get("currency"), "a value is missing"); }
  static Object number(String s) { return Integer.parseInt(s); }
  static Object count(String s) { return Integer.parseInt(s); }
  static Object first(List<String> l) { return l.get(0); }
  static Object second(List<String> l) { return l.get(1); }
  static Object require(Object v, String what) { if (v == null) throw new IllegalArgumentException(what + " is missing"); return v; }
  static Object checkStreet() { return require(null, "the street"); }
  static Object checkCity() { return require(null, "the city"); }
  static Object async(Supplier<Object> s) throws Exception { return CompletableFuture.supplyAsync(s).get(); }
  static Object joined(Supplier<Object> s) { return CompletableFuture.supplyAsync(s).join(); }
  static Object pooled(Callable<Object> c) throws Exception { ExecutorService p = Executors.newFixedThreadPool(1); try { return p.submit(c).get(); } finally { p.shutdown(); } }
  static Object reflected(String name) throws Exception { return Shop.class.getDeclaredMethod(name, String.class).invoke(null, "1"); }
  static Object proxied(Consumer<Bank> use) {
    Bank bank = (Bank) Proxy.newProxyInstance(Shop.class.getClassLoader(), new Class<?>[] {Bank.class}, (p, m, a) -> {
      try { return m.invoke(new Card(), a); } catch (InvocationTargetException e) { throw e.getCause(); }
    });
    use.accept(bank);
    return null;
  }
  static Object step(Callable<Object> c) { try { return c.call(); } catch (Exception e) { throw new Declined("step failed", e); } }
  static Object plain(Callable<Object> c) { try { return c.call(); } catch (Exception e) { throw new RuntimeException(e); } }
  static Object status(int code) { throw new Declined("HTTP " + code + " from https://bank.example/pay"); }
  static Object ora(String code) { throw new Declined("ORA-" + code + ": statement failed"); }
  static Object deep(int n) { if (n == 0) throw new Gone("bottom"); return deep(n - 1); }
  static int loop(int n) { return loop(n + 1) + 1; }
  static Object anonymous() { return new Supplier<Object>() { public Object get() { throw new Gone("anonymous"); } }.get(); }
  static Object anonymousToo() { return new Supplier<Object>() { public Object get() { throw new Gone("anonymous"); } }.get(); }
  static Object cast(Object o) { return ((String) o).length(); }
  static Object ship(String country, int items) {
    if (country.equals("nowhere")) throw new Declined("cannot ship");
    if (items == 0) throw new Declined("cannot ship");
    return country;
  }
  static Object empty() { throw new IllegalStateException(); }
  static Object emptyToo() { throw new IllegalStateException(); }
  static Object shown(Object o) { throw new Gone("no price of " + o); }

  public static Map<String, Callable<Object>> cases() {
    Map<String, Callable<Object>> c = new HashMap<>();
    List<Item> bad = List.of(new Item(null, null));
    for (String id : List.of("4711", "99", "8c1f7e52-07f4-4b0e-a0a1-2a6c3f4b7a11", "ord_9sK2mQ7xLp0d", "A-2026-00017")) {
      c.put("order " + id, () -> order(id));
      c.put("invoice " + id, () -> invoice(id));
    }
    c.put("total", () -> total(bad)); c.put("names", () -> names(bad)); c.put("onSet", Shop::onSet); c.put("onUnset", Shop::onUnset);
    c.put("street", () -> street(Map.of())); c.put("currency", () -> currency(Map.of()));
    c.put("number x", () -> number("x")); c.put("number 1,5", () -> number("1,5")); c.put("count x", () -> count("x")); c.put("count n/a", () -> count("n/a"));
    c.put("first", () -> first(new ArrayList<>())); c.put("second", () -> second(new ArrayList<>(List.of("a")))); c.put("first list", () -> first(List.of()));
    c.put("checkStreet", Shop::checkStreet); c.put("checkCity", Shop::checkCity);
    c.put("async order", () -> async(() -> order("1"))); c.put("async invoice", () -> async(() -> invoice("1"))); c.put("async order 2", () -> async(() -> order("22")));
    c.put("joined order", () -> joined(() -> order("1"))); c.put("joined invoice", () -> joined(() -> invoice("1"))); c.put("joined order 2", () -> joined(() -> order("22")));
    c.put("pooled order", () -> pooled(() -> order("1"))); c.put("pooled total", () -> pooled(() -> total(bad)));
    c.put("reflected order", () -> reflected("order")); c.put("reflected invoice", () -> reflected("invoice"));
    c.put("proxied pay", () -> proxied(b -> b.pay("1"))); c.put("proxied refund", () -> proxied(b -> b.refund("1")));
    c.put("step order", () -> step(() -> order("1"))); c.put("step order 2", () -> step(() -> order("2"))); c.put("step total", () -> step(() -> total(bad)));
    c.put("plain order", () -> plain(() -> order("1"))); c.put("plain status", () -> plain(() -> status(503))); c.put("plain order 2", () -> plain(() -> order("2")));
    for (int code : new int[] {402, 503}) c.put("status " + code, () -> status(code));
    for (String code : List.of("00001", "12541")) c.put("ora " + code, () -> ora(code));
    for (int n : new int[] {1, 5, 40}) c.put("deep " + n, () -> deep(n));
    c.put("loop", () -> loop(1)); c.put("anonymous", Shop::anonymous); c.put("anonymousToo", Shop::anonymousToo);
    c.put("cast", () -> cast(1)); c.put("ship country", () -> ship("nowhere", 1)); c.put("ship nothing", () -> ship("here", 0));
    c.put("empty", Shop::empty); c.put("emptyToo", Shop::emptyToo); c.put("shown", () -> shown(new Object())); c.put("shown again", () -> shown(new Object()));
    c.put("shown array", () -> shown(new int[] {1}));
    return c;
  }
}
