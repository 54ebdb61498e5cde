import COpenSSL
import Glibc
import Testing
import Transport

/// Threads may use OpenSSL until the process is gone.
@Suite struct OpenSSLAtExitTests {
  @Test("a program that simply ends does not take OpenSSL apart under its threads")
  func exitLeavesOpenSSLAlone() async {
    await #expect(processExitsWith: .exitCode(7)) {
      var random: UInt8 = 0
      RAND_bytes(&random, 1)
      // Called by OpenSSL's own clean-up, where there is one.
      OPENSSL_atexit { _exit(8) }
      exit(7)
    }
  }
}
