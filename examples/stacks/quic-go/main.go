// quic-go behind ackclock_stack.h. It has no interface without input and output, and it reads Go's clock; so each end lives in a bubble of testing/synctest, whose clock
// moves only while the bubble's driver sleeps. The driver sleeps when a call of the boundary brings a later time, and waits for the next call at a channel from
// outside the bubble, which keeps the clock still.
package main

/*
#include <stdlib.h>
#include "ackclock_stack.h"
typedef const char *constchar;
typedef const ackclock_option *options;
*/
import "C"

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"runtime"
	"runtime/cgo"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"
	"unsafe"

	quic "github.com/quic-go/quic-go"
)

// buffer is how much an end holds of what it has not given to the stack.
const buffer = 65536

// poll is how often a bubble is asked: the time of its next timer cannot be asked for.
var poll = 250 * time.Microsecond

// end is one end. What is below `commands` belongs to the bubble while a command runs, and to the caller in between.
type end struct {
	server   bool
	datagram int
	window   uint64
	commands chan func()
	replies  chan struct{}
	begin    time.Time
	base     uint64 // the time of the simulation at `begin`
	in       chan []byte
	out      [][]byte
	conn     *quic.Conn
	wake     chan struct{} // there is something to write
	open     bool          // the stream takes bytes: the handshake is over
	unsent   int64
	fin      bool
	sent     bool
	unread   int64
	closed   error
	random   uint64
	next     C.uint64_t // when the bubble is asked again
}

// packets is the end's socket.
type packets struct{ *end }

type address string

func (a address) Network() string { return "udp" }
func (a address) String() string  { return string(a) }

func (p packets) ReadFrom(b []byte) (int, net.Addr, error) {
	datagram, ok := <-p.in
	if !ok {
		return 0, nil, net.ErrClosed
	}
	return copy(b, datagram), address("peer"), nil
}

func (p packets) WriteTo(b []byte, _ net.Addr) (int, error) {
	p.out = append(p.out, append([]byte(nil), b...))
	return len(b), nil
}

func (p packets) Close() error                     { return nil }
func (p packets) LocalAddr() net.Addr              { return address("self") }
func (p packets) SetDeadline(time.Time) error      { return nil }
func (p packets) SetReadDeadline(time.Time) error  { return nil }
func (p packets) SetWriteDeadline(time.Time) error { return nil }

// live runs in the bubble.
func (e *end) live(t *testing.T) {
	e.begin = time.Now()
	e.in, e.wake = make(chan []byte, 1024), make(chan struct{}, 1)
	config := &quic.Config{
		InitialStreamReceiveWindow: e.window, MaxStreamReceiveWindow: e.window,
		InitialConnectionReceiveWindow: e.window, MaxConnectionReceiveWindow: e.window,
		MaxIncomingUniStreams: 1, MaxIdleTimeout: 24 * time.Hour, HandshakeIdleTimeout: time.Hour,
		InitialPacketSize: uint16(e.datagram), DisablePathMTUDiscovery: true,
	}
	cryptotest.SetGlobalRandom(t, e.random)
	transport := &quic.Transport{Conn: packets{e}, ConnectionIDLength: 8}
	go func() {
		if e.server {
			e.closed = e.serve(transport, config)
		} else {
			e.closed = e.send(transport, config)
		}
	}()
	synctest.Wait()
	e.replies <- struct{}{}
	for command := range e.commands {
		command()
		synctest.Wait()
		e.replies <- struct{}{}
	}
}

func (e *end) serve(transport *quic.Transport, config *quic.Config) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(1e6 * time.Hour), DNSNames: []string{"peer"}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	chain := []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}
	listener, err := transport.Listen(&tls.Config{Certificates: chain, NextProtos: []string{"hq"}, Time: time.Now}, config)
	if err != nil {
		return err
	}
	if e.conn, err = listener.Accept(context.Background()); err != nil {
		return err
	}
	stream, err := e.conn.AcceptUniStream(context.Background())
	if err != nil {
		return err
	}
	data := make([]byte, buffer)
	for {
		n, err := stream.Read(data)
		e.unread += int64(n)
		if err != nil {
			<-e.conn.Context().Done()
			return context.Cause(e.conn.Context())
		}
	}
}

func (e *end) send(transport *quic.Transport, config *quic.Config) (err error) {
	client := &tls.Config{InsecureSkipVerify: true, ServerName: "peer", NextProtos: []string{"hq"}}
	if e.conn, err = transport.Dial(context.Background(), address("peer"), client, config); err != nil {
		return err
	}
	stream, err := e.conn.OpenUniStreamSync(context.Background())
	if err != nil {
		return err
	}
	e.open = true
	data := make([]byte, 4096) // what the stream takes at once
	for {
		for e.unsent > 0 {
			n, err := stream.Write(data[:min(e.unsent, int64(len(data)))])
			e.unsent -= int64(n)
			if err != nil {
				return err
			}
		}
		if e.fin {
			stream.Close()
			<-stream.Context().Done()
			e.sent = true
			<-e.conn.Context().Done()
			return context.Cause(e.conn.Context())
		}
		<-e.wake
	}
}

// do runs a command in the bubble after its clock has come to `now`.
func (e *end) do(now C.uint64_t, command func()) {
	e.next = now + C.uint64_t(poll.Nanoseconds())
	e.commands <- func() {
		if left := time.Duration(uint64(now)-e.base) - time.Since(e.begin); left > 0 {
			time.Sleep(left)
			synctest.Wait()
		}
		command()
	}
	<-e.replies
}

func of(pointer *C.ackclock_end) *end { return (*(*cgo.Handle)(unsafe.Pointer(pointer))).Value().(*end) }

//export ackclock_stack_abi
func ackclock_stack_abi() C.uint32_t { return C.ACKCLOCK_STACK_ABI }

var facts = map[string]C.constchar{
	"name": C.CString("quic-go"), "version": C.CString("0.65.0"), "controls": C.CString("reno"), "licence": C.CString("MIT"),
	"random": C.CString("the order of Go's goroutines"),
}

//export ackclock_stack_about
func ackclock_stack_about(key C.constchar) C.constchar { return facts[C.GoString(key)] }

// alive is false until the first end.
var alive atomic.Bool

var ends = make(chan *end)

// bubbles is a test that never ends, because a bubble must be part of a test.
func bubbles(t *testing.T) {
	for e := range ends {
		go t.Run("end", func(t *testing.T) { synctest.Test(t, e.live) })
	}
}

//export ackclock_stack_new
func ackclock_stack_new(role C.uint32_t, seed C.uint64_t, list C.options, count C.size_t, now C.uint64_t, problem *C.char, size C.size_t) *C.ackclock_end {
	if !alive.Swap(true) {
		os.Args = os.Args[:1]
		runtime.GOMAXPROCS(1)
		match := func(string, string) (bool, error) { return true, nil }
		go testing.Main(match, []testing.InternalTest{{Name: "ends", F: bubbles}}, nil, nil)
		os.Setenv("QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING", "true")
	}
	e := &end{server: role == C.ACKCLOCK_SERVER, commands: make(chan func()), replies: make(chan struct{}), base: uint64(now), random: uint64(seed), datagram: 1280}
	for _, option := range unsafe.Slice(list, count) {
		key, value := C.GoString(option.key), C.GoString(option.value)
		err := errors.New("unknown")
		switch key {
		case "datagram":
			e.datagram, err = strconv.Atoi(value)
			e.datagram = min(e.datagram, 1280) // quic-go's pacer takes any other InitialPacketSize for 1280, and spins in a clock that stands still
		case "window":
			e.window, err = strconv.ParseUint(value, 10, 62)
		case "poll":
			poll, err = time.ParseDuration(value)
		case "control":
			if value == "reno" { // its sent_packet_handler makes a cubicSender with reno = true
				err = nil
			}
		}
		if err != nil {
			text := append([]byte(fmt.Sprintf("%s = %s: %v", key, value, err)), 0)
			copy(unsafe.Slice((*byte)(unsafe.Pointer(problem)), size), text)
			return nil
		}
	}
	ends <- e
	<-e.replies
	handle := (*cgo.Handle)(C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0)))))
	*handle = cgo.NewHandle(e)
	return (*C.ackclock_end)(unsafe.Pointer(handle))
}

//export ackclock_stack_recv
func ackclock_stack_recv(pointer *C.ackclock_end, datagram *C.uint8_t, length C.size_t, ecn C.uint32_t, now C.uint64_t) {
	e, data := of(pointer), C.GoBytes(unsafe.Pointer(datagram), C.int(length))
	e.do(now, func() { e.in <- data })
}

//export ackclock_stack_send
func ackclock_stack_send(pointer *C.ackclock_end, space *C.uint8_t, size C.size_t, ecn *C.uint32_t, at *C.uint64_t, now C.uint64_t) C.size_t {
	e := of(pointer)
	if len(e.out) == 0 {
		return 0
	}
	length := copy(unsafe.Slice((*byte)(unsafe.Pointer(space)), size), e.out[0])
	e.out = e.out[1:]
	*ecn, *at = C.ACKCLOCK_NOT_ECT, now
	return C.size_t(length)
}

//export ackclock_stack_timeout
func ackclock_stack_timeout(pointer *C.ackclock_end, now C.uint64_t) C.uint64_t {
	return of(pointer).next
}

//export ackclock_stack_on_timeout
func ackclock_stack_on_timeout(pointer *C.ackclock_end, now C.uint64_t) {
	e := of(pointer)
	e.do(now, func() {})
}

//export ackclock_stack_write
func ackclock_stack_write(pointer *C.ackclock_end, bytes C.uint64_t, fin C.uint32_t, now C.uint64_t) C.uint64_t {
	e := of(pointer)
	if !e.open {
		return 0
	}
	taken := min(int64(bytes), buffer-e.unsent)
	if fin == 0 && taken < min(4096, int64(bytes)) {
		return 0 // in larger pieces: each takes a turn of the bubble
	}
	e.do(now, func() {
		e.unsent += taken
		e.fin = e.fin || fin == 1
		select {
		case e.wake <- struct{}{}:
		default:
		}
	})
	if fin == 1 {
		return 1
	}
	return C.uint64_t(taken)
}

//export ackclock_stack_read
func ackclock_stack_read(pointer *C.ackclock_end, now C.uint64_t) C.uint64_t {
	e := of(pointer)
	bytes := e.unread
	e.unread = 0
	return C.uint64_t(bytes)
}

//export ackclock_stack_state
func ackclock_stack_state(pointer *C.ackclock_end, state *C.ackclock_state) {
	e := of(pointer)
	state.delivered = 0
	if e.sent {
		state.delivered = 1
	}
	if e.conn != nil {
		stats := e.conn.ConnectionStats()
		state.window_bytes = C.uint64_t(stats.CongestionWindow)
		state.srtt_ns, state.min_rtt_ns = C.uint64_t(stats.SmoothedRTT), C.uint64_t(stats.MinRTT)
		state.sent_packets, state.lost_packets = C.uint64_t(stats.PacketsSent), C.uint64_t(stats.PacketsLost)
	}
	if e.closed != nil {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&state.closed[0])), len(state.closed)-1), e.closed.Error())
	}
}

// ackclock_stack_free leaves the bubble where it waits: it ends with the process.
//
//export ackclock_stack_free
func ackclock_stack_free(pointer *C.ackclock_end) {
	handle := (*cgo.Handle)(unsafe.Pointer(pointer))
	handle.Delete()
	C.free(unsafe.Pointer(pointer))
}

func main() {}
