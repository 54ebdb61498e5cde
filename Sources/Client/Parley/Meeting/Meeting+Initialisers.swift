public import Basics

/// Meetings by their address, their discover document or a token.
extension Meeting {
  /// A meeting by its address, not joined yet: publish to ``local`` first to have the tracks in the first offer, then
  /// ``join()``.
  ///
  /// ```swift
  /// let meeting = try Meeting("http://localhost:8080/hello", name: "Recorder")
  /// try await meeting.local.publish(LocalVideoTrack(TestPictureSource()))
  /// try await meeting.join()
  /// ```
  ///
  /// - Parameters:
  ///   - url: As for ``join(_:name:options:)``.
  ///   - token: A join token, when the address has none.
  ///   - name: The display name; nil takes that of the options or the address.
  ///   - options: How to join.
  /// - Throws: ``JoinError/badAddress(_:)`` when it isn't the address of a meeting, or has another token than `token`.
  public convenience init(
    _ url: String, token: Secret<String>? = nil, name: String? = nil, options: JoinOptions = JoinOptions()
  ) throws(JoinError) {
    let address = try MeetingAddress(url)
    if let token, let other = address.token, other.value != token.value {
      throw .badAddress(
        "The address has a token (#jwt= or ?jwt=), and another one was given beside it. One of them is expected.")
    }
    if let secret = options.linkSecret, let other = address.linkSecret, other != secret {
      throw .badAddress("The link has a key (#e2ee=), and another one was given beside it. One of them is expected.")
    }
    self.init(.address(address, token: token), name: name, options: options)
  }

  /// A meeting by the address of its discover document, as `POST /GetAnonTokenJob` gives it.
  ///
  /// ```swift
  /// let meeting = Meeting(discover: url, name: "Ann")
  /// try await meeting.join()
  /// ```
  public convenience init(
    discover url: String, token: Secret<String>? = nil, name: String? = nil, options: JoinOptions = JoinOptions()
  ) {
    self.init(.discover(url, token: token), name: name, options: options)
  }

  /// The meeting that a token is for.
  ///
  /// ```swift
  /// let meeting = Meeting(token: token, server: "https://meet.example", name: "Ann")
  /// try await meeting.join()
  /// ```
  ///
  /// - Parameters:
  ///   - token: The join token.
  ///   - server: `http(s)://host[:port]`.
  ///   - name: The display name; nil takes that of the options.
  ///   - options: How to join.
  public convenience init(
    token: Secret<String>, server: String, name: String? = nil, options: JoinOptions = JoinOptions()
  ) {
    self.init(.token(token, server: server), name: name, options: options)
  }
}
