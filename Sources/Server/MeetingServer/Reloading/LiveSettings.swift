import Synchronization

/// The settings in force. Reloadable ones are read from here each time they are needed.
final class LiveSettings: Sendable {
  private let configuration: Mutex<ServerConfiguration>

  init(_ configuration: ServerConfiguration) { self.configuration = Mutex(configuration) }

  var current: ServerConfiguration { configuration.withLock { $0 } }

  /// Applies other settings, as far as a running server can.
  func take(_ other: ServerConfiguration) { configuration.withLock { $0 = $0.taking(other) } }
}
