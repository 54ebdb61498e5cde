extension Server {
  /// Reloads everything that may change while a server runs: the settings that are marked so, certificate files, and
  /// the pages. Unreadable settings change nothing. The log reports the result.
  ///
  /// - Parameters:
  ///   - running: The settings in force.
  ///   - read: Reads the settings as at the start.
  /// - Returns: The settings in force from now on, as they are written.
  public func reload(
    _ running: ServerSettings, read: () throws(ConfigurationError) -> ServerSettings
  ) async -> ServerSettings {
    var now = running
    do throws(ConfigurationError) {
      let new = try read()
      let change = SettingsChange(from: running, to: new)
      settings.take(new.configuration)
      log.setLevel(settings.current.logLevel)
      log.info(
        "reload",
        [
          "changed": change.applied.isEmpty ? "none" : change.applied.joined(separator: ","),
          "needsRestart": change.pending.isEmpty ? "none" : change.pending.joined(separator: ","),
        ])
      now = new
    } catch {
      log.error("reload.refused", ["reason": error.description, "using": "the settings before"])
    }
    await media.reload(settings.current)
    files.reload()
    await certificates?.reload(settings.current.tls)
    return now
  }
}
