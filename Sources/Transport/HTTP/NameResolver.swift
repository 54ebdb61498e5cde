public import Basics
internal import CLinux
internal import Glibc

/// Host names to addresses, on a thread of their own: the resolver blocks, and no loop must.
public enum NameResolver {
  /// The addresses of `host`, best first; a literal address is itself.
  /// - Throws: ``TransportError/unknownHost(_:reason:)``.
  public static func resolve(_ host: String) async throws(TransportError) -> [IPAddress] {
    try await resolve(host, port: 0)
  }

  /// As ``resolve(_:)``, for a service on `port`.
  static func resolve(_ host: String, port: Int) async throws(TransportError) -> [IPAddress] {
    if let literal = IPAddress(host) { return [literal] }
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Lookup.Answer, Never>) in
      let lookup = Lookup(host: host, port: port, continuation: continuation)
      var thread = pthread_t()
      // The thread owns that reference and gives it back.
      let retained = unsafe Unmanaged.passRetained(lookup)
      let code = unsafe parley_thread_start(
        &thread, "resolver", -1,
        { if let raw = unsafe $0 { unsafe Unmanaged<Lookup>.fromOpaque(raw).takeRetainedValue().run() } },
        retained.toOpaque())
      if code == 0 {
        pthread_detach(thread)
      } else {
        unsafe retained.release()
        continuation.resume(returning: .failed(errorText(code)))
      }
    }
    switch result {
    case .found(let addresses) where !addresses.isEmpty: return addresses
    case .found: throw .unknownHost(host, reason: "no address")
    case .failed(let reason): throw .unknownHost(host, reason: reason)
    }
  }

  private final class Lookup: Sendable {
    enum Answer: Sendable {
      case found([IPAddress])
      case failed(String)
    }
    let host: String
    let port: Int
    let continuation: CheckedContinuation<Answer, Never>

    init(host: String, port: Int, continuation: CheckedContinuation<Answer, Never>) {
      self.host = host
      self.port = port
      self.continuation = continuation
    }

    func run() {
      var raw = [parley_address](repeating: parley_address(), count: 16)
      // The pointer and the capacity are those of one array.
      let count = unsafe raw.withUnsafeMutableBufferPointer { b in
        unsafe parley_resolve(host, String(port), b.baseAddress, Int32(b.count))
      }
      guard count >= 0 else {
        // The text is a constant of the library.
        let reason = unsafe gai_strerror(count).map { unsafe String(cString: $0) } ?? "error \(count)"
        return continuation.resume(returning: .failed(reason))
      }
      continuation.resume(returning: .found(raw.prefix(Int(count)).map { TransportAddress($0).ip }))
    }
  }
}
