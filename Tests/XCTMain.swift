import Testing

/// Runs the tests of every target, all of which use Swift Testing, for `Scripts/swift-test`.
///
/// With an entry point of its own a build for tests needs no index of every symbol to look for tests of XCTest. That index took two fifths of
/// the time of a whole build. A plain `swift test` looks for XCTest alone then: it fails, and shows the line below.
@main
struct TestRunner {
  static func main() async {
    guard CommandLine.arguments.contains("swift-testing") else {
      print("Run 'Scripts/swift-test' instead, with the same options: these are tests of Swift Testing.")
      return
    }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
