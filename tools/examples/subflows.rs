// SPDX-License-Identifier: MIT

//! Connects by Multipath TCP with a scheduler of the caller's choice, sends a little, and says which subflows
//! there are. The same as subflows.c, subflows.py and subflows.go; README.md explains it once for all.
//! It needs no crate: the four calls of the C library are declared here.

use std::ffi::{c_int, c_void};
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsRawFd, FromRawFd};
use std::process::ExitCode;

const AF_INET: c_int = 2;
const SOCK_STREAM: c_int = 1; // 2 on MIPS
const IPPROTO_MPTCP: c_int = 262;
const SOL_MPTCP: c_int = 284;
const MPTCP_TCPINFO: c_int = 2;
const MPTCP_SUBFLOW_ADDRS: c_int = 3;
const MPTCP_FULL_INFO: c_int = 4;
const MPTCP_SCHEDULER: c_int = 43;
const EOPNOTSUPP: c_int = 95; // 122 on MIPS

const MOST: usize = 9; // subflows: the first, and eight that join
const NAME: usize = 40; // of a scheduler with all its extensions, and the NUL behind it
const BYTES: usize = 1_000_000;
const HEAD: usize = 16; // struct mptcp_subflow_data: its size, subflows, sizes of an entry there and here
const TCP_INFO: usize = 128; // as much of it as is read here
const ADDRESSES: usize = 256; // struct mptcp_subflow_addrs
const REMOTE: usize = 128; // where its second address begins
const FULL: usize = 40; // how struct mptcp_full_info begins: six sizes and counts, where the arrays are
const RTT: usize = 68; // in struct tcp_info
const WINDOW: usize = 80;
const ACKED: usize = 120;

extern "C" {
    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
    fn connect(fd: c_int, address: *const c_void, len: u32) -> c_int;
    fn setsockopt(fd: c_int, level: c_int, name: c_int, value: *const c_void, len: u32) -> c_int;
    fn getsockopt(fd: c_int, level: c_int, name: c_int, value: *mut c_void, len: *mut u32)
        -> c_int;
}

fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

fn open(to: SocketAddr, scheduler: Option<&str>) -> io::Result<TcpStream> {
    let SocketAddr::V4(v4) = to else {
        return Err(io::Error::other("this example knows IPv4 only"));
    };
    // struct sockaddr_in
    let mut name = [0u8; 16];
    name[..2].copy_from_slice(&(AF_INET as u16).to_ne_bytes());
    name[2..4].copy_from_slice(&v4.port().to_be_bytes());
    name[4..8].copy_from_slice(&v4.ip().octets());

    let fd = checked(unsafe { socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP) })?;
    // closes it, also on error
    let stream = unsafe { TcpStream::from_raw_fd(fd) };
    if let Some(text) = scheduler {
        let value = text.as_ptr().cast();
        checked(unsafe { setsockopt(fd, SOL_MPTCP, MPTCP_SCHEDULER, value, text.len() as u32) })
            .map_err(|error| io::Error::new(error.kind(), format!("{text}: {error}")))?;
    }
    checked(unsafe { connect(fd, name.as_ptr().cast(), name.len() as u32) })?;
    Ok(stream)
}

/// getsockopt() with a buffer that the kernel reads, too.
fn get(stream: &TcpStream, option: c_int, buffer: &mut [u8]) -> io::Result<usize> {
    let mut len = buffer.len() as u32;
    let value = buffer.as_mut_ptr().cast();
    checked(unsafe { getsockopt(stream.as_raw_fd(), SOL_MPTCP, option, value, &mut len) })?;
    Ok(len as usize)
}

fn number(from: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(from[at..at + 4].try_into().unwrap())
}

/// What one of the two options gives: for each subflow so many bytes, or fewer by an older kernel.
fn entries(stream: &TcpStream, option: c_int, size: usize) -> io::Result<Vec<Vec<u8>>> {
    let mut buffer = vec![0u8; HEAD + MOST * size];
    buffer[..4].copy_from_slice(&(HEAD as u32).to_ne_bytes());
    buffer[12..16].copy_from_slice(&(size as u32).to_ne_bytes());
    get(stream, option, &mut buffer)?;
    let count = MOST.min(number(&buffer, 4) as usize);
    let step = number(&buffer, 12) as usize;
    Ok(buffer[HEAD..]
        .chunks(step)
        .take(count)
        .map(<[u8]>::to_vec)
        .collect())
}

fn address(entry: &[u8]) -> String {
    let ip = Ipv4Addr::new(entry[4], entry[5], entry[6], entry[7]);
    format!("{ip}:{}", u16::from_be_bytes([entry[2], entry[3]]))
}

fn print_scheduler(stream: &TcpStream) {
    let mut name = [0u8; NAME];
    match get(stream, MPTCP_SCHEDULER, &mut name) {
        Ok(len) => println!(
            "scheduler {}",
            String::from_utf8_lossy(&name[..len]).trim_end_matches('\0')
        ),
        Err(_) => println!("scheduler: this kernel does not tell"),
    }
}

/// EOPNOTSUPP: the connection fell back to TCP.
fn print_subflows(stream: &TcpStream) -> io::Result<()> {
    let infos = entries(stream, MPTCP_TCPINFO, TCP_INFO)?;
    let addresses = entries(stream, MPTCP_SUBFLOW_ADDRS, ADDRESSES)?;

    print_scheduler(stream);
    for (info, pair) in infos.iter().zip(&addresses) {
        println!(
            "{} to {}: RTT {:.1} ms, window {} segments, {} bytes acknowledged",
            address(pair),
            address(&pair[REMOTE..]),
            f64::from(number(info, RTT)) / 1e3,
            number(info, WINDOW),
            u64::from_ne_bytes(info[ACKED..ACKED + 8].try_into().unwrap()),
        );
    }
    Ok(())
}

/// The number of each subflow: no other gets it while the connection lasts. It is what the entries of the first
/// array begin with. They could have the addresses, too, and a second array what MPTCP_TCPINFO gives.
fn print_numbers(stream: &TcpStream) -> io::Result<()> {
    let mut numbers = [0u32; MOST];
    let mut full = [0u8; FULL];
    full[12..16].copy_from_slice(&4u32.to_ne_bytes());
    full[20..24].copy_from_slice(&(MOST as u32).to_ne_bytes());
    full[24..32].copy_from_slice(&(numbers.as_mut_ptr() as u64).to_ne_bytes());
    match get(stream, MPTCP_FULL_INFO, &mut full) {
        // Linux tells since 6.5
        Err(error) if error.raw_os_error() == Some(EOPNOTSUPP) => return Ok(()),
        answer => answer?,
    };
    let count = number(&full, 16) as usize;
    let found = numbers.iter().take(count).map(u32::to_string);
    println!(
        "{count} subflows, numbers {}",
        found.collect::<Vec<_>>().join(" ")
    );
    Ok(())
}

fn run(to: &str, scheduler: Option<&str>) -> io::Result<()> {
    let found = to.to_socket_addrs()?.find(SocketAddr::is_ipv4);
    let to = found.ok_or_else(|| io::Error::other("no IPv4 address"))?;
    let mut stream = open(to, scheduler)?;
    stream.write_all(&[0; BYTES])?;
    print_subflows(&stream)?;
    print_numbers(&stream)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    if args.len() < 3 {
        eprintln!("usage: {} HOST PORT [SCHEDULER]", args[0]);
        return ExitCode::from(2);
    }
    match run(
        &format!("{}:{}", args[1], args[2]),
        args.get(3).map(String::as_str),
    ) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.raw_os_error() == Some(EOPNOTSUPP) => {
            println!("TCP: the peer, or something on the way, knows no Multipath TCP");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", args[1]);
            ExitCode::FAILURE
        }
    }
}
