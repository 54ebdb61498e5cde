import Glibc
import Testing

/// The entry point of the tests, all of which use Swift Testing.
///
/// With it a build needs no index of every symbol to look for tests of XCTest, which takes two fifths of the time
/// (`Scripts/swift-test`). Because of it, SwiftPM runs tests of XCTest alone: a plain `swift test` starts this program
/// without arguments, and so the program starts all tests of Swift Testing.
@main
struct TestRunner {
  static func main() async {
    let arguments = CommandLine.arguments
    if arguments.contains("swift-testing") { await Testing.__swiftPMEntryPoint() as Never }
    // `swift test --filter` asks for the tests of XCTest first.
    if arguments.contains("--dump-tests-json") { return print(#"{"name": "All tests", "tests": []}"#) }
    guard arguments.count == 1 else {
      print("These are tests of Swift Testing: swift test --disable-xctest --enable-swift-testing --filter …")
      return
    }
    // One after the other: many measure the time, the threads or the memory of this process.
    let words = [arguments[0], "--testing-library", "swift-testing", "--no-parallel"]
    execv("/proc/self/exe", words.map { word -> UnsafeMutablePointer<CChar>? in strdup(word) } + [nil])
    perror("The tests cannot be started")
    exit(1)
  }
}
