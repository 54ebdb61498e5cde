public import Basics
internal import CLinux
internal import Glibc
internal import Synchronization

/// Host names to addresses, on a thread of their own: the resolver blocks, and no loop must.
public enum NameResolver {
  /// The addresses of `host`, best first; a literal address is itself, and `localhost` is this machine whatever the
  /// system's files say (RFC 6761 section 6.3): a bare container has no `/etc/hosts`.
  /// - Throws: ``TransportError/unknownHost(_:reason:)``.
  public static func resolve(_ host: String) async throws(TransportError) -> [IPAddress] {
    try await resolve(host, port: 0)
  }

  /// As ``resolve(_:)``, for a service on `port`.
  static func resolve(_ host: String, port: Int) async throws(TransportError) -> [IPAddress] {
    if let literal = IPAddress(host) { return [literal] }
    if isLocal(host) { return ["127.0.0.1", "::1"].compactMap { IPAddress($0) } }
    let lookup = Lookup(host: host, port: port)
    // The system's resolver cannot be called off: its thread ends by itself, and nobody waits for it.
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { lookup.start($0) }
    } onCancel: {
      lookup.answer(.cancelled)
    }
    switch result {
    case .found(let addresses) where !addresses.isEmpty: return addresses
    case .found: throw .unknownHost(host, reason: "no address")
    case .failed(let reason): throw .unknownHost(host, reason: reason)
    case .cancelled: throw .cancelled
    }
  }

  /// Whether the name is `localhost` or ends in it, in any case, with or without the root's dot.
  static func isLocal(_ host: String) -> Bool {
    host.lowercased().split(separator: ".", omittingEmptySubsequences: true).last == "localhost"
  }

  private final class Lookup: Sendable {
    enum Answer: Sendable {
      case found([IPAddress])
      case failed(String)
      case cancelled
    }
    private struct State {
      var waiting: CheckedContinuation<Answer, Never>?
      var isCancelled = false
    }
    private let host: String
    private let port: Int
    private let state = Mutex(State())

    init(host: String, port: Int) {
      self.host = host
      self.port = port
    }

    /// Looks the name up on a thread of its own, unless it was cancelled before.
    func start(_ continuation: CheckedContinuation<Answer, Never>) {
      let goes = state.withLock { state in
        if !state.isCancelled { state.waiting = continuation }
        return !state.isCancelled
      }
      guard goes else { return continuation.resume(returning: .cancelled) }
      var thread = pthread_t()
      // The thread owns that reference and gives it back.
      let retained = unsafe Unmanaged.passRetained(self)
      let code = unsafe parley_thread_start(
        &thread, "resolver", -1,
        { if let raw = unsafe $0 { unsafe Unmanaged<Lookup>.fromOpaque(raw).takeRetainedValue().run() } },
        retained.toOpaque())
      if code == 0 {
        pthread_detach(thread)
      } else {
        unsafe retained.release()
        answer(.failed(errorText(code)))
      }
    }

    /// Ends the waiting; only the first answer counts.
    func answer(_ answer: Answer) {
      let waiting = state.withLock { state in
        if case .cancelled = answer { state.isCancelled = true }
        defer { state.waiting = nil }
        return state.waiting
      }
      waiting?.resume(returning: answer)
    }

    private func run() {
      var raw = [parley_address](repeating: parley_address(), count: 16)
      // The pointer and the capacity are those of one array.
      let count = unsafe raw.withUnsafeMutableBufferPointer { b in
        unsafe parley_resolve(host, String(port), b.baseAddress, Int32(b.count))
      }
      guard count >= 0 else {
        // The text is a constant of the library.
        let reason = unsafe gai_strerror(count).map { unsafe String(cString: $0) } ?? "error \(count)"
        return answer(.failed(reason))
      }
      answer(.found(raw.prefix(Int(count)).map { TransportAddress($0).ip }))
    }
  }
}
