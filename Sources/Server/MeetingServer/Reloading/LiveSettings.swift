import Synchronization

/// The settings in force: what is read again while the server runs is asked here each time it is needed.
final class LiveSettings: Sendable {
  private let configuration: Mutex<ServerConfiguration>

  init(_ configuration: ServerConfiguration) { self.configuration = Mutex(configuration) }

  var current: ServerConfiguration { configuration.withLock { $0 } }

  /// Takes over what a running server can, of other settings.
  func take(_ other: ServerConfiguration) { configuration.withLock { $0 = $0.taking(other) } }
}
