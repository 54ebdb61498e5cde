import Basics
import CWebSockets
import Synchronization

/// The service threads that all clients of this process share, one for TLS and one for the rest; each is started by its
/// first client.
///
/// They are two because a virtual host for TLS reads the system's list of authorities, some 90 ms that who speaks plain
/// HTTP need not wait.
enum WireClient {
  /// Room for the longest address (``URLParts``) and the longest join token in one request.
  private static let requestBytes = 20 << 10
  private static let shared = Mutex<[Bool: (service: WireService, host: UInt)]>([:])

  /// The service and its virtual host for clients, with or without TLS.
  static func service(isSecure: Bool) throws(TransportError) -> (WireService, UInt) {
    let result = shared.withLock { state -> Result<(WireService, UInt), TransportError> in
      if let known = state[isSecure] { return .success(known) }
      do throws(TransportError) {
        let service = try WireService(
          name: isSecure ? "https client" : "http client", requestBytes: requestBytes,
          descriptors: WireService.descriptorLimit(for: 8_192), tickInterval: .milliseconds(100))
        guard let host = unsafe service.makeClientHost(isSecure: isSecure) else {
          service.discard()
          throw .outOfMemory("the HTTP client")
        }
        try service.start()
        // A number, so that the handle can be kept here; used on the service thread only.
        let number = UInt(bitPattern: host)
        state[isSecure] = (service, number)
        return .success((service, number))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
