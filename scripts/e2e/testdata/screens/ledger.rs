// A worker asks for a lock that main holds while it waits for the worker.
use std::sync::{Arc, Mutex};
use std::thread;

#[inline(never)]
fn post_entry(ledger: &Mutex<Vec<u64>>) {
    ledger.lock().unwrap().push(1);
}

fn main() {
    let ledger = Arc::new(Mutex::new(Vec::new()));
    let held = ledger.lock().unwrap();
    let shared = ledger.clone();
    let worker = thread::spawn(move || post_entry(&shared));
    worker.join().unwrap();
    drop(held);
}
