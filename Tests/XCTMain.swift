import Testing

/// The entry point of the tests, all of which use Swift Testing, for `Scripts/swift-test`.
///
/// With it a build needs no index of every symbol to look for tests of XCTest, which takes two fifths of the time. A
/// plain `swift test`, though, looks for XCTest alone: it fails, and prints the line below.
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
