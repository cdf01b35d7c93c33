package kiosk

import java.util.concurrent.Callable
import scala.concurrent.*
import scala.concurrent.duration.*
import scala.concurrent.ExecutionContext.Implicits.global
import scala.jdk.CollectionConverters.*
// NEW RELEASE

class Declined(message: String) extends Exception(message)
case class Item(name: String, price: Option[Int])
enum State { case Open, Closed }

object Cart {
  // NEW LINES
  def total(items: List[Item]) = items.map(i => i.price.get).sum
  def names(items: List[Item]) = items.map(i => i.name.trim)
  def state(x: Any) = x match { case s: String => s }
  def kind(x: Any) = x match { case i: Int => i }
  def stocked(m: Map[String, Int], key: String) = m(key)
  def priced(m: Map[String, Int], key: String) = m(key)
  def pay(n: Int): Future[Int] = Future { throw new Declined(s"payment $n was declined") }
  def refund(n: Int): Future[Int] = Future { throw new Declined(s"payment $n was declined") }
  def chained(n: Int): Future[Int] = Future(n).flatMap(x => Future(x + 1).map(y => if y > 0 then throw new Declined(s"step $n") else y))
  lazy val rates: Int = throw new Declined("no rates")
  lazy val places: Int = throw new Declined("no places")
  def checked(n: Int) = { require(n > 0, "a value is missing"); n }
  def counted(n: Int) = { require(n > 0, "a value is missing"); n }
}

trait Shipping { def ship(n: Int): Int = throw new Declined(s"cannot ship $n") }
class Post extends Shipping
class Van extends Shipping

object Main {
  def cases(): java.util.Map[String, Callable[Any]] = {
    val bad = List(Item(null, None))
    def wait(f: Future[Any]) = Await.result(f, 5.seconds)
    Map[String, Callable[Any]](
      "total" -> (() => Cart.total(bad)), "names" -> (() => Cart.names(bad)), "state" -> (() => Cart.state(1)), "state 2" -> (() => Cart.state(2.5)), "kind" -> (() => Cart.kind("a")), "kind 2" -> (() => Cart.kind(Nil)),
      "stocked" -> (() => Cart.stocked(Map(), "SKU-1")), "stocked 2" -> (() => Cart.stocked(Map(), "SKU-99")), "priced" -> (() => Cart.priced(Map(), "SKU-1")), "priced 2" -> (() => Cart.priced(Map(), "SKU-9")),
      "pay" -> (() => wait(Cart.pay(1))), "pay 2" -> (() => wait(Cart.pay(77))), "refund" -> (() => wait(Cart.refund(1))), "refund 2" -> (() => wait(Cart.refund(42))),
      "chained" -> (() => wait(Cart.chained(1))), "chained 2" -> (() => wait(Cart.chained(2))), "rates" -> (() => Cart.rates), "places" -> (() => Cart.places),
      "checked" -> (() => Cart.checked(0)), "counted" -> (() => Cart.counted(0)), "post" -> (() => Post().ship(1)), "van" -> (() => Van().ship(2)),
    ).asJava
  }
}
