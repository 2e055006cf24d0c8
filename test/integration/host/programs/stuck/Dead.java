public class Dead {
  static final Object first = new Object(), second = new Object();

  static void store() {
    synchronized (first) {
      pause();
      synchronized (second) {
        System.out.println("stored");
      }
    }
  }

  static void load() {
    synchronized (second) {
      pause();
      synchronized (first) {
        System.out.println("loaded");
      }
    }
  }

  static void pause() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public static void main(String[] args) throws Exception {
    if (args[0].equals("endless")) for (long x = 1; x != 0;) x = x | 1;
    Thread one = new Thread(Dead::store, "store"), two = new Thread(Dead::load, "load");
    one.start();
    two.start();
    one.join();
    two.join();
  }
}
