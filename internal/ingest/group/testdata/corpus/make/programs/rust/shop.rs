// A shop. It runs the case that is named by its argument, which panics.
use std::collections::HashMap;
// NEW RELEASE

struct Cart { items: HashMap<String, u32> }
trait Shipping { fn ship(&self, n: u32) -> u32 { panic!("cannot ship {n}") } }
struct Post;
struct Van;
impl Shipping for Post {}
impl Shipping for Van {}

impl Cart {
    #[inline(never)] fn total(&self, sku: &str) -> u32 { self.items[sku] }
    #[inline(never)] fn price(&self, sku: &str) -> u32 { *self.items.get(sku).unwrap() }
    #[inline(never)] fn label(&self, sku: &str) -> u32 { *self.items.get(sku).unwrap() }
    #[inline(never)] fn stock(&self, sku: &str) -> u32 { *self.items.get(sku).expect("not in stock") }
}
// NEW LINES
#[inline(never)] fn number(s: &str) -> i32 { s.parse().unwrap() }
#[inline(never)] fn count(s: &str) -> i32 { s.parse().unwrap() }
#[inline(never)] fn read(path: &str) -> String { std::fs::read_to_string(path).unwrap() }
#[inline(never)] fn first(l: &[i32]) -> i32 { l[std::hint::black_box(3)] }
#[inline(never)] fn second(l: &[i32]) -> i32 { l[std::hint::black_box(7)] }
#[inline(never)] fn ratio(a: i32, b: i32) -> i32 { a / b }
#[inline(never)] fn share(a: i32, b: i32) -> i32 { a % b }
#[inline(never)] fn order(id: &str) { panic!("order {id} is gone") }
#[inline(never)] fn invoice(id: &str) { panic!("invoice {id} is gone") }
#[inline(never)] fn deep(n: i32) -> i32 { if n == 0 { panic!("bottom") } deep(n - 1) + 1 }
#[inline(never)] fn each<F: Fn(i32) -> i32>(f: F) -> i32 { f(1) }
#[inline(never)] fn status(code: u16) { panic!("the bank answered HTTP {code}") }
#[inline(never)] fn generic<T: std::fmt::Debug>(x: T) { let l: Vec<T> = vec![]; println!("{:?}{:?}", x, l[std::hint::black_box(1)]) }
#[inline(never)] fn cell() { let c = std::cell::RefCell::new(1); let _a = c.borrow_mut(); let _b = c.borrow_mut(); }
#[inline(never)] fn cell2() { let c = std::cell::RefCell::new(1); let _a = c.borrow_mut(); let _b = c.borrow_mut(); }

fn main() {
    let cart = Cart { items: HashMap::new() };
    let args: Vec<String> = std::env::args().collect();
    let arg = args.get(2).map(String::as_str).unwrap_or("");
    match args[1].as_str() {
        "total" => { cart.total(arg); }
        "price" => { cart.price(arg); }
        "label" => { cart.label(arg); }
        "stock" => { cart.stock(arg); }
        "number" => { number(arg); }
        "count" => { count(arg); }
        "read" => { read(arg); }
        "first" => { first(&vec![1; arg.len()]); }
        "second" => { second(&vec![1; arg.len()]); }
        "ratio" => { ratio(1, arg.len() as i32); }
        "share" => { share(1, arg.len() as i32); }
        "order" => order(arg),
        "invoice" => invoice(arg),
        "deep" => { deep(arg.len() as i32); }
        "closure" => { each(|_| panic!("first closure")); }
        "closure2" => { each(|_| panic!("second closure")); }
        "status" => status(arg.parse().unwrap()),
        "post" => { Post.ship(1); }
        "van" => { Van.ship(2); }
        "generic" => generic(1),
        "generic2" => generic("a"),
        "cell" => cell(),
        "cell2" => cell2(),
        "thread" => { std::thread::spawn(|| order("7")).join().unwrap(); }
        _ => {}
    }
}
