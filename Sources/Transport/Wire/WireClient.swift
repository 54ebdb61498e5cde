import Basics
import CWebSockets
import Synchronization

/// The service thread that all clients of this process share; started by the first.
enum WireClient {
  private static let shared = Mutex<(service: WireService, host: UInt)?>(nil)

  /// The service and its virtual host for clients.
  static func service() throws(TransportError) -> (WireService, UInt) {
    let result = shared.withLock { state -> Result<(WireService, UInt), TransportError> in
      if let state { return .success((state.service, state.host)) }
      do throws(TransportError) {
        let service = try WireService(
          name: "http client", descriptors: WireService.descriptorLimit(for: 8_192),
          tickInterval: .milliseconds(100))
        guard let host = unsafe service.makeHost("client", certificate: nil, key: nil, client: true) else {
          service.discard()
          throw .outOfMemory("the HTTP client")
        }
        try service.start()
        // A number, so that the handle can be kept here; used on the service thread only.
        let number = UInt(bitPattern: host)
        state = (service, number)
        return .success((service, number))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
