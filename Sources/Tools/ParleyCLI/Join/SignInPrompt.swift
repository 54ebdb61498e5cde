import Parley

/// Has the person sign in with a browser where a meeting asks for it.
enum SignInPrompt {
  /// Waits until the person has signed in at `url`; nil when that failed, which was reported by then.
  @MainActor static func pass(
    at url: String, within seconds: Double, json: Bool, insecure: Bool, _ signals: SignalWatch
  ) async -> SignInPass? {
    let waiting = Task { () async -> Result<SignInPass, JoinError> in
      do throws(JoinError) {
        let signIn = try await BrowserSignIn(url, trustsAnyCertificate: insecure)
        if json {
          let line: JSONLine = ["event": "signIn", "url": .text(signIn.url)]
          line.print()
        } else {
          CommandLineText.complain(
            "This meeting is for people who sign in. Open this address in a browser on this computer: \(signIn.url)")
        }
        return .success(try await signIn.waitForPass(within: .milliseconds(Int64(seconds * 1_000))))
      } catch { return .failure(error) }
    }
    signals.onSignal { waiting.cancel() }
    switch await waiting.value {
    case .success(let pass): return pass
    case .failure(.cancelled):
      CommandLineText.complain("The meeting was left before anybody signed in.")
      return nil
    case .failure(let error):
      CommandLineText.complain("\(error)")
      return nil
    }
  }
}
