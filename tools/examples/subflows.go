// SPDX-License-Identifier: MIT

// Connects by Multipath TCP with a scheduler of the caller's choice, sends a little, and says which subflows
// there are. The same as subflows.c, subflows.py and subflows.rs; README.md explains it once for all.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	solMPTCP          = 284
	mptcpTCPInfo      = 2
	mptcpSubflowAddrs = 3
	mptcpFullInfo     = 4
	mptcpScheduler    = 43

	most     = 9  // subflows: the first, and eight that join
	nameMax  = 40 // of a scheduler with all its extensions, and the NUL behind it
	total    = 1000000
	headSize = 16  // struct mptcp_subflow_data: its size, subflows, sizes of an entry there and here
	infoSize = 128 // as much of struct tcp_info as is read here
	addrSize = 256 // struct mptcp_subflow_addrs
	remote   = 128 // where its second address begins
	fullSize = 40  // how struct mptcp_full_info begins: six sizes and counts, where the arrays are

	rtt, window, acked = 68, 80, 120 // in struct tcp_info
)

var native = binary.NativeEndian

// Where the kernel has no Multipath TCP, Go takes TCP, which has no such options.
var errTCP = syscall.ENOPROTOOPT

// get calls getsockopt() with a buffer that the kernel reads, too.
func get(fd uintptr, option int, buffer []byte) (int, error) {
	length := uint32(len(buffer))
	_, _, errno := syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, solMPTCP, uintptr(option),
		uintptr(unsafe.Pointer(&buffer[0])), uintptr(unsafe.Pointer(&length)), 0)
	if errno != 0 {
		return 0, errno
	}
	return int(length), nil
}

// entries is what one of the two options gives: for each subflow so many bytes, or fewer by an older kernel.
func entries(fd uintptr, option, size int) ([][]byte, error) {
	buffer := make([]byte, headSize+most*size)
	native.PutUint32(buffer, headSize)
	native.PutUint32(buffer[12:], uint32(size))
	if _, err := get(fd, option, buffer); err != nil {
		return nil, err
	}
	count := min(int(native.Uint32(buffer[4:])), most)
	step := int(native.Uint32(buffer[12:]))
	found := make([][]byte, count)
	for i := range found {
		found[i] = buffer[headSize+i*step : headSize+(i+1)*step]
	}
	return found, nil
}

func address(entry []byte) string {
	port := binary.BigEndian.Uint16(entry[2:])
	return fmt.Sprintf("%s:%d", net.IP(entry[4:8]), port)
}

func printScheduler(fd uintptr) {
	name := make([]byte, nameMax)
	n, err := get(fd, mptcpScheduler, name)
	if err != nil {
		fmt.Println("scheduler: this kernel does not tell")
		return
	}
	for n > 0 && name[n-1] == 0 {
		n--
	}
	fmt.Printf("scheduler %s\n", name[:n])
}

// printSubflows fails with EOPNOTSUPP if the connection fell back to TCP.
func printSubflows(fd uintptr) error {
	infos, err := entries(fd, mptcpTCPInfo, infoSize)
	if err != nil {
		return err
	}
	addrs, err := entries(fd, mptcpSubflowAddrs, addrSize)
	if err != nil {
		return err
	}
	printScheduler(fd)
	for i := range min(len(infos), len(addrs)) {
		fmt.Printf("%s to %s: RTT %.1f ms, window %d segments, %d bytes acknowledged\n",
			address(addrs[i]), address(addrs[i][remote:]), float64(native.Uint32(infos[i][rtt:]))/1e3,
			native.Uint32(infos[i][window:]), native.Uint64(infos[i][acked:]))
	}
	return nil
}

// printNumbers tells each subflow's: no other gets it while the connection lasts. It is what the entries of the
// first array begin with. They could have the addresses, too, and a second array what MPTCP_TCPINFO gives.
func printNumbers(fd uintptr) error {
	// the kernel writes there, and Go's own stack may move
	numbers := new([most]uint32)
	var pinned runtime.Pinner
	pinned.Pin(numbers)
	defer pinned.Unpin()
	full := make([]byte, fullSize)
	native.PutUint32(full[12:], 4)
	native.PutUint32(full[20:], most)
	native.PutUint64(full[24:], uint64(uintptr(unsafe.Pointer(numbers))))
	if _, err := get(fd, mptcpFullInfo, full); err != nil {
		if err == syscall.EOPNOTSUPP { // Linux tells since 6.5
			return nil
		}
		return err
	}
	count := int(native.Uint32(full[16:]))
	fmt.Printf("%d subflows, numbers", count)
	for _, number := range numbers[:min(count, most)] {
		fmt.Printf(" %d", number)
	}
	fmt.Println()
	return nil
}

func run(host, port, scheduler string) error {
	var refused error
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			if scheduler != "" {
				refused = syscall.SetsockoptString(int(fd), solMPTCP, mptcpScheduler, scheduler)
			}
		})
	}}
	dialer.SetMultipathTCP(true)
	conn, err := dialer.DialContext(context.Background(), "tcp4", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	defer conn.Close()
	if refused != nil {
		return fmt.Errorf("%s: %v", scheduler, refused)
	}
	if _, err = conn.Write(make([]byte, total)); err != nil {
		return err
	}
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err = raw.Control(func(fd uintptr) {
		if failed = printSubflows(fd); failed == nil {
			failed = printNumbers(fd)
		}
	}); err != nil {
		return err
	}
	return failed
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintf(os.Stderr, "usage: %s HOST PORT [SCHEDULER]\n", os.Args[0])
		os.Exit(2)
	}
	err := run(os.Args[1], os.Args[2], append(os.Args, "")[3])
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, errTCP) {
		fmt.Println("TCP: the peer, or something on the way, knows no Multipath TCP")
	} else if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
