import Testing

@testable import ParleyCLI

@Suite("Webhooks on the command line")
struct WebhookCommandTests {
  private func problem(_ url: String, _ arguments: [String] = []) throws -> String? {
    let options = try CommandOptions(arguments, table: [.init("allow", .text("HOST"), repeats: true, "")])
    do throws(CommandGroup.Failure) {
      try WebhookCommand.check(url, options)
      return nil
    } catch {
      return error.description
    }
  }

  @Test(
    "a refused address is taken with the option of ours that the refusal names",
    arguments: ["http://169.254.169.254/", "https://10.0.0.1/", "http://hooks.lan:8080/x", "http://[fd00::1]/"])
  func allowed(url: String) throws {
    let told = try #require(try problem(url), "\(url) is taken")
    #expect(told.contains("--webhook-allow "), "\(told)")
    let named = try #require(told.firstRange(of: "add --allow "), "no option of the command is named: \(told)")
    let host = String(told[named.upperBound...].dropLast())
    #expect(try problem(url, ["--allow", host]) == nil, "\(told)")
  }

  @Test("an allowed host must be an address")
  func malformed() throws {
    let told = try #require(try problem("ftp://app.example.com/"))
    #expect(!told.contains("allow"), "\(told)")
  }
}
