package main

import (
	"os"
	"sync"
	"time"
)

var first, second sync.Mutex

func store(done *sync.WaitGroup) {
	first.Lock()
	time.Sleep(100 * time.Millisecond)
	second.Lock()
	done.Done()
}

func load(done *sync.WaitGroup) {
	second.Lock()
	time.Sleep(100 * time.Millisecond)
	first.Lock()
	done.Done()
}

func main() {
	if os.Args[1] == "endless" {
		for {
		}
	}
	// The timer of `go test -timeout` keeps the runtime from finding the deadlock itself.
	time.AfterFunc(600*time.Second, func() {})
	var done sync.WaitGroup
	done.Add(2)
	go store(&done)
	go load(&done)
	done.Wait()
}
