package com.kiosk.mobile

import kotlinx.coroutines.*
import kotlinx.coroutines.flow.*
import java.util.concurrent.Callable
// NEW RELEASE

class Declined(message: String) : Exception(message)

data class Item(val name: String?, val price: Int?)

class Cart(val items: List<Item>) {
    val first by lazy { items.first() }
    val last by lazy { items.last() }
    // NEW LINES
    fun total() = items.sumOf { it.price!! }
    fun names() = items.map { it.name!!.trim() }
    suspend fun book(n: Int) { delay(1); throw Declined("room $n is gone") }
    suspend fun leave(n: Int) { delay(1); throw Declined("room $n is gone") }
    fun named(block: (Item) -> Any?) = items.map(block)
    companion object { fun load(id: String): Cart = throw Declined("cart $id is not stored") }
}

fun Cart.ship(country: String) { require(country != "nowhere") { "cannot ship" } }
fun Cart.pack() { require(items.size > 5) { "cannot ship" } }
fun pick(item: Item) = checkNotNull(item.price)
fun label(item: Item) = checkNotNull(item.name)
fun flowOf(n: Int) = flow { emit(1); throw Declined("no page $n") }
fun other(n: Int) = flow { emit(1); throw Declined("no page $n") }
object Stock { lateinit var rates: String; lateinit var places: String }
fun stock() = Stock.rates.length
fun places() = Stock.places.length
enum class Size { S, M }

object Main {
    @JvmStatic fun cases(): Map<String, Callable<Any?>> {
        val cart = Cart(listOf(Item(null, null)))
        return mapOf(
            "total" to Callable { cart.total() }, "names" to Callable { cart.names() }, "first" to Callable { Cart(emptyList()).first }, "last" to Callable { Cart(emptyList()).last },
            "book 1" to Callable { runBlocking { cart.book(1) } }, "book 22" to Callable { runBlocking(Dispatchers.Default) { cart.book(22) } },
            "leave 1" to Callable { runBlocking { cart.leave(1) } }, "leave 22" to Callable { runBlocking(Dispatchers.Default) { cart.leave(22) } },
            "async" to Callable { runBlocking { async { cart.book(3) }.await() } }, "async leave" to Callable { runBlocking { async { cart.leave(3) }.await() } },
            "named" to Callable { cart.named { it.price!! + 1 } }, "named too" to Callable { cart.named { it.name!!.length } },
            "load" to Callable { Cart.load("c-17") }, "load again" to Callable { Cart.load("c-99") }, "ship" to Callable { cart.ship("nowhere") }, "pack" to Callable { cart.pack() },
            "pick" to Callable { pick(cart.items[0]) }, "label" to Callable { label(cart.items[0]) }, "flow" to Callable { runBlocking { flowOf(1).collect {} } },
            "flow 2" to Callable { runBlocking { flowOf(2).map { it }.collect {} } }, "other" to Callable { runBlocking { other(1).collect {} } }, "other 2" to Callable { runBlocking { other(2).map { it }.collect {} } },
            "stock" to Callable { stock() }, "places" to Callable { places() }, "size" to Callable { Size.valueOf("XL") }, "size 2" to Callable { Size.valueOf("XXL") },
        )
    }
}
