import Glibc

/// Whether PipeWire runs, which its GStreamer elements do not find out: without it they wait, some of them for ever.
enum PipeWire {
  /// Whether there is a socket to reach it by, where its own clients look.
  static var isRunning: Bool {
    func value(_ variable: String) -> String? { getenv(variable).map { String(cString: $0) } }
    let name = value("PIPEWIRE_REMOTE") ?? "pipewire-0"
    if name.hasPrefix("/") { return access(name, F_OK) == 0 }
    let folders = [value("PIPEWIRE_RUNTIME_DIR"), value("XDG_RUNTIME_DIR"), "/run/user/\(getuid())", "/run/pipewire"]
    return folders.compactMap { $0 }.contains { access("\($0)/\(name)", F_OK) == 0 }
  }
}
