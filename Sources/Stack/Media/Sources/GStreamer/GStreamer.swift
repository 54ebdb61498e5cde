import CGStreamer

/// GStreamer as a whole: loaded when something first needs it.
enum GStreamer {
  /// Loads the library. Costs some ten milliseconds and megabytes the first time, nothing later.
  static func load() throws(MediaError) {
    guard let problem = parley_gst_load() else { return }
    throw .missingComponent(
      "GStreamer",
      hint:
        "\(String(cString: problem)) Install it with: apt-get install gstreamer1.0-plugins-base gstreamer1.0-plugins-good"
    )
  }

  /// Makes sure that a plugin is there. Load first.
  static func require(_ element: String, package: String) throws(MediaError) {
    guard parley_gst_has_element(element) == 0 else { return }
    throw .missingComponent("The GStreamer element \(element)", hint: "Install it with: apt-get install \(package)")
  }

  /// Why a pipeline cannot be built: something is not installed, or its description is wrong.
  static func cannotBuild(_ name: String, _ problem: String, packages: String) -> MediaError {
    // "no element "x"" is the only mistake that is not one of the description.
    problem.contains("no element")
      ? .missingComponent(
        "A part of GStreamer", hint: "Install it with: apt-get install \(packages) (GStreamer says: \(problem))")
      : .cannotOpen(name, reason: "its pipeline is not written as GStreamer expects (\(problem)).")
  }

  /// Calls a C function that writes a sentence into a buffer, and gives back both.
  static func withMessage<Result>(_ body: (UnsafeMutablePointer<CChar>, Int32) -> Result) -> (Result, String) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("a buffer of 512 bytes has an address") }
      base.pointee = 0
      let result = body(base, 512)
      return (result, String(cString: base))
    }
  }
}
