use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

#[inline(never)]
fn connect(a: &Mutex<i32>, b: &Mutex<i32>) {
    let _first = a.lock().unwrap();
    thread::sleep(Duration::from_millis(100));
    let _second = b.lock().unwrap();
}

#[inline(never)]
fn migrate(a: &Mutex<i32>, b: &Mutex<i32>) {
    let _first = b.lock().unwrap();
    thread::sleep(Duration::from_millis(100));
    let _second = a.lock().unwrap();
}

#[test]
fn deadlock() {
    let a = Arc::new(Mutex::new(0));
    let b = Arc::new(Mutex::new(0));
    let (a2, b2) = (a.clone(), b.clone());
    let one = thread::Builder::new().name("worker-1".into()).spawn(move || connect(&a, &b)).unwrap();
    let two = thread::Builder::new().name("worker-2".into()).spawn(move || migrate(&a2, &b2)).unwrap();
    one.join().unwrap();
    two.join().unwrap();
}

#[test]
fn endless() {
    let mut x: u64 = 1;
    while x != 0 {
        x = black_box(x | 1);
    }
}
