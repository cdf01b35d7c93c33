//! A shop that fails, and reports it with the Sentry SDK.
use anyhow::Context;

fn charge(order: u32) -> anyhow::Result<u32> {
    "x".parse::<u32>().with_context(|| format!("payment refused for order {order}"))
}

fn pack() {
    let boxes: Vec<u32> = Vec::new();
    println!("{}", boxes[std::env::args().count()]);
}

fn main() {
    // The DSN is in the variable SENTRY_DSN.
    let options = sentry::ClientOptions::new()
        .environment("staging")
        .release("shop@4f2a9c1")
        .server_name("web-1")
        .attach_stacktrace(true)
        .auto_session_tracking(true);
    let client = sentry::init(options);
    sentry::configure_scope(|scope| {
        scope.set_user(Some(sentry::User { id: Some("7".into()), email: Some("ann@example.test".into()), ..Default::default() }));
        scope.set_tag("plan", "gold");
    });
    if let Err(e) = charge(42) {
        sentry::integrations::anyhow::capture_anyhow(&e);
    }
    sentry::capture_message("stock is low", sentry::Level::Warning);
    let packer = std::thread::Builder::new().name("packer".into()).spawn(pack);
    assert!(packer.expect("a thread").join().is_err());
    assert!(client.flush(Some(std::time::Duration::from_secs(20))), "not all was sent");
}
