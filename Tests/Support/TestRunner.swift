import Testing

/// The entry point of the tests as `Scripts/swift-test` builds them: all use Swift Testing.
///
/// With it a build needs no index of every symbol to look for tests of XCTest, which takes two fifths of the time.
@main
struct TestRunner {
  static func main() async {
    await Testing.__swiftPMEntryPoint() as Never
  }
}
