import Basics

/// The settings of `parley serve` and their sources, so that changes during its run can be named.
public struct ServerSettings: Sendable {
  /// The configuration in force.
  public let configuration: ServerConfiguration
  /// The given value of each option, by its name.
  let values: [String: Secret<String>]
}

/// The difference that other settings make to a running server.
struct SettingsChange: Equatable {
  /// Options that apply from now on.
  var applied: [String] = []
  /// Options that apply from the next start on.
  var pending: [String] = []

  /// The difference between the settings in force and others. `new` was read now; the server was started with
  /// `running`, or has applied it since.
  init(from running: ServerSettings, to new: ServerSettings) {
    let usesTLS = running.configuration.tls != .off
    let staysTLS = (new.configuration.tls != .off) == usesTLS
    for option in ServerOption.all where running.values[option.name] != new.values[option.name] {
      // Whether the port speaks TLS at all is decided at its start.
      let isLive = option.isReread && (staysTLS || !option.name.hasPrefix("tls"))
      if isLive { applied.append(option.name) } else { pending.append(option.name) }
    }
  }
}

extension ServerConfiguration {
  /// These settings with those of `other` that a running server takes over.
  func taking(_ other: ServerConfiguration) -> ServerConfiguration {
    var taken = self
    if (tls == .off) == (other.tls == .off) { taken.tls = other.tls }
    taken.iceServers = other.iceServers
    taken.adminToken = other.adminToken
    taken.logLevel = other.logLevel
    taken.publicAddresses = other.publicAddresses
    taken.offersPrivateAddresses = other.offersPrivateAddresses
    return taken
  }
}
