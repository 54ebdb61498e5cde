internal import CLinux
internal import Glibc
public import Basics

/// Why a socket, thread or server could not be set up or used. Each case prints what happened, what was expected
/// and what to do about it.
public enum TransportError: Error, Equatable, Sendable {
  /// Another process (or this one) already listens on the address.
  case addressInUse(TransportAddress)
  /// The system refuses the address to this user, as it does for ports below 1,024.
  case permissionDenied(TransportAddress)
  /// No interface of this machine has the address.
  case addressNotAvailable(TransportAddress)
  /// The process or the system has no file descriptor left.
  case tooManyOpenFiles
  /// Memory for `what` could not be had.
  case outOfMemory(String)
  /// A host name has no address; `reason` is the resolver's.
  case unknownHost(String, reason: String)
  /// The certificate or key cannot be used.
  case badCertificate(String)
  /// The other end's certificate is not one that is trusted for its name; the text says what is wrong with it.
  case untrustedCertificate(String)
  /// The other end refused, closed or broke the connection.
  case connectionFailed(String)
  /// The time allowed has passed.
  case timedOut(String)
  /// An answer or a message is larger than the limit in bytes.
  case tooLarge(limit: Int)
  /// The path of a Unix socket is longer than the system takes.
  case socketPathTooLong(String)
  /// The text of a URL is not one that can be opened.
  case badURL(String)
  /// The loop, server or connection is stopped.
  case stopped
  /// The task that waited for it was cancelled.
  case cancelled
  /// Another error of the system call `call`.
  case system(call: String, code: Int32)

  /// The error of a call on `address` that failed with the error number `code`.
  static func from(call: String, code: Int32, address: TransportAddress) -> TransportError {
    switch code {
    case EADDRINUSE: .addressInUse(address)
    case EACCES, EPERM: .permissionDenied(address)
    case EADDRNOTAVAIL: .addressNotAvailable(address)
    case EMFILE, ENFILE: .tooManyOpenFiles
    default: .system(call: call, code: code)
    }
  }
}

extension TransportError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .addressInUse(let address):
      "Port \(address.port) on \(address.ip.text) is in use by another program. Stop that program, or choose "
        + "another port."
    case .permissionDenied(let address):
      "This user may not open port \(address.port) on \(address.ip.text). Choose a port of 1024 or above, or give "
        + "the program the capability CAP_NET_BIND_SERVICE."
    case .addressNotAvailable(let address):
      "No network interface of this machine has the address \(address.ip.text). Use one that `ip address` lists, "
        + "or 0.0.0.0 for every interface."
    case .tooManyOpenFiles:
      "No file descriptor is left. Raise the limit (`ulimit -n`), or close connections."
    case .outOfMemory(let what):
      "There is not enough memory for \(what)."
    case .unknownHost(let host, let reason):
      "The name \(host) has no address (\(reason)). Check the spelling and the resolver."
    case .badCertificate(let reason):
      "The TLS certificate or key cannot be used: \(reason) Give a PEM certificate chain and its private key."
    case .untrustedCertificate(let reason):
      "The server's certificate is not trusted: \(reason). Check the server's name, and whether its certificate is valid."
    case .connectionFailed(let reason):
      "The connection failed: \(reason)."
    case .timedOut(let what):
      "\(what) did not happen in the time allowed."
    case .tooLarge(let limit):
      "The data is larger than the limit of \(limit) bytes."
    case .socketPathTooLong(let path):
      "The path \(path) has \(path.utf8.count) bytes, and that of a Unix socket may have \(PARLEY_SOCKET_PATH). Choose a "
        + "folder with a shorter path."
    case .badURL(let text):
      "\(text) is not a URL that can be opened here: http, https, ws or wss with a host is expected."
    case .stopped:
      "The connection or server is stopped."
    case .cancelled:
      "It was cancelled."
    case .system(let call, let code):
      "\(call) failed: \(errorText(code)) (error \(code))."
    }
  }
}

/// The system's sentence for an error number.
func errorText(_ code: Int32) -> String {
  // 127 bytes at most are written, so the last stays zero.
  var buffer = [UInt8](repeating: 0, count: 128)
  unsafe buffer.withUnsafeMutableBytes { bytes in
    unsafe parley_error_text(code, bytes.baseAddress, 127)
  }
  return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
}
