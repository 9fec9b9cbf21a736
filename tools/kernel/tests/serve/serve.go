// SPDX-License-Identifier: MIT

// A web server and a client that say nothing of Multipath TCP, for programs-test.sh: what Go does by itself.
// usage: serve DIRECTORY ADDRESS | serve URL (to standard output)
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func fetch(url string) error {
	answer, err := http.Get(url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(os.Stdout, answer.Body)
	return err
}

func main() {
	var err error
	switch len(os.Args) {
	case 2:
		err = fetch(os.Args[1])
	case 3:
		err = http.ListenAndServe(os.Args[2], http.FileServer(http.Dir(os.Args[1])))
	default:
		err = fmt.Errorf("usage: %s DIRECTORY ADDRESS | URL", os.Args[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
