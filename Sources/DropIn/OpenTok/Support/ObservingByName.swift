#if !canImport(UIKit) || os(Linux)
  import Foundation
  public import ParleyViews

  extension OTStream {
    /// Reports changes of `hasAudio`, `hasVideo`, `videoDimensions` or `name` to `observer`, as key-value observing
    /// does on Apple systems. It is called on the main queue; if that is the `apiQueue` of the session, right before
    /// the callback. Booleans and numbers are `NSNumber`, an absent value is `NSNull`. A name that does not exist is
    /// reported on standard error and observed without effect, where Apple's systems end the program.
    public func addObserver(
      _ observer: any OTKeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
      context: UnsafeMutableRawPointer? = nil
    ) {
      named.add(observer, keyPath, of: self, context) { tell in
        func begin<Value: Equatable>(_ key: KeyPath<OTStream, Value>) -> NSKeyValueObservation {
          observe(key, options: options) { _, change in tell(change.entries) }
        }
        switch keyPath {
        case "hasAudio": return begin(\.hasAudio)
        case "hasVideo": return begin(\.hasVideo)
        case "videoDimensions": return begin(\.videoDimensions)
        case "name": return begin(\.name)
        default: return unknown(keyPath, "A stream has hasAudio, hasVideo, videoDimensions and name.")
        }
      }
    }

    /// Ends what ``addObserver(_:forKeyPath:options:context:)`` began. Harmless when it was not begun.
    public func removeObserver(_ observer: any OTKeyValueObserver, forKeyPath keyPath: String) {
      named.remove(observer, keyPath)
    }

    /// Ends the observation that was begun with this context.
    public func removeObserver(
      _ observer: any OTKeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
      named.remove(observer, keyPath) { $0.context == context }
    }

    /// Not nil while the object is observed by name, as apps ask before they take an observer away. Setting it has no
    /// effect.
    public var observationInfo: UnsafeMutableRawPointer? {
      get { named.isEmpty ? nil : Unmanaged.passUnretained(self).toOpaque() }
      set {}
    }
  }

  extension OTSession {
    /// Reports changes of `sessionConnectionStatus`, `connection`, `capabilities`, `streams` or `connectionCount` to
    /// `observer`, as ``OTStream/addObserver(_:forKeyPath:options:context:)`` does; the status as the number of its
    /// case.
    public func addObserver(
      _ observer: any OTKeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
      context: UnsafeMutableRawPointer? = nil
    ) {
      named.add(observer, keyPath, of: self, context) { tell in
        func begin<Value: Equatable>(_ key: KeyPath<OTSession, Value>) -> NSKeyValueObservation {
          observe(key, options: options) { _, change in tell(change.entries) }
        }
        switch keyPath {
        case "sessionConnectionStatus": return begin(\.sessionConnectionStatus)
        case "connection": return begin(\.connection)
        case "capabilities": return begin(\.capabilities)
        case "streams": return begin(\.streams)
        case "connectionCount": return begin(\.connectionCount)
        default:
          let names = "sessionConnectionStatus, connection, capabilities, streams and connectionCount"
          return unknown(keyPath, "A session has \(names).")
        }
      }
    }

    /// Ends what ``addObserver(_:forKeyPath:options:context:)`` began. Harmless when it was not begun.
    public func removeObserver(_ observer: any OTKeyValueObserver, forKeyPath keyPath: String) {
      named.remove(observer, keyPath)
    }

    /// Ends the observation that was begun with this context.
    public func removeObserver(
      _ observer: any OTKeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
      named.remove(observer, keyPath) { $0.context == context }
    }

    /// Not nil while the object is observed by name, as apps ask before they take an observer away. Setting it has no
    /// effect.
    public var observationInfo: UnsafeMutableRawPointer? {
      get { named.isEmpty ? nil : Unmanaged.passUnretained(self).toOpaque() }
      set {}
    }
  }

  /// Reports that there is no such property.
  private func unknown(_ keyPath: String, _ known: String) -> NSKeyValueObservation? {
    FileHandle.standardError.write(Data("OpenTok: \(keyPath) cannot be observed. \(known)\n".utf8))
    return nil
  }
#endif
