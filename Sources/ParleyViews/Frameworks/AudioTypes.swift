#if !canImport(AudioToolbox) || os(Linux)

/// What a call of Apple's C interfaces gives back; ``noErr`` when all is well.
public typealias OSStatus = Int32
/// All is well.
public let noErr: OSStatus = 0
/// A number of an input or output of a unit.
public typealias AudioUnitElement = UInt32
/// Which side of a unit is meant.
public typealias AudioUnitScope = UInt32
/// What of a unit is meant.
public typealias AudioUnitPropertyID = UInt32
/// Bits that say how samples lie in memory.
public typealias AudioFormatFlags = UInt32
/// A kind of sound.
public typealias AudioFormatID = UInt32

/// Samples.
public let kAudioFormatLinearPCM: AudioFormatID = 0x6C70_636D
/// Samples with a sign.
public let kLinearPCMFormatFlagIsSignedInteger: AudioFormatFlags = 4
/// Samples with a sign.
public let kAudioFormatFlagIsSignedInteger: AudioFormatFlags = 4
/// Samples without gaps.
public let kAudioFormatFlagIsPacked: AudioFormatFlags = 8
/// Samples without gaps.
public let kLinearPCMFormatFlagIsPacked: AudioFormatFlags = 8

/// Units that play and capture.
public let kAudioUnitType_Output: UInt32 = 0x6175_6F75
/// The one for calls.
public let kAudioUnitSubType_VoiceProcessingIO: UInt32 = 0x7670_696F
/// The one for anything else.
public let kAudioUnitSubType_RemoteIO: UInt32 = 0x7269_6F63
/// Who made it.
public let kAudioUnitManufacturer_Apple: UInt32 = 0x6170_706C

/// The whole unit.
public let kAudioUnitScope_Global: AudioUnitScope = 0
/// What goes in.
public let kAudioUnitScope_Input: AudioUnitScope = 1
/// What comes out.
public let kAudioUnitScope_Output: AudioUnitScope = 2

/// Whether an input or output is used.
public let kAudioOutputUnitProperty_EnableIO: AudioUnitPropertyID = 2_003
/// What is called when there is captured sound.
public let kAudioOutputUnitProperty_SetInputCallback: AudioUnitPropertyID = 2_005
/// How samples lie.
public let kAudioUnitProperty_StreamFormat: AudioUnitPropertyID = 8
/// What gives the sound to be played.
public let kAudioUnitProperty_SetRenderCallback: AudioUnitPropertyID = 23
/// Whether the unit has memory of its own.
public let kAudioUnitProperty_ShouldAllocateBuffer: AudioUnitPropertyID = 51
/// How long sound takes through it.
public let kAudioUnitProperty_Latency: AudioUnitPropertyID = 12

/// There is no such property.
public let kAudioUnitErr_InvalidProperty: OSStatus = -10_879
/// Samples cannot lie so: 16 bits at 48 kHz in one or two channels are taken.
public let kAudioUnitErr_FormatNotSupported: OSStatus = -10_868
/// There is no captured sound.
public let kAudioUnitErr_NoConnection: OSStatus = -10_876

/// How samples lie in memory.
public struct AudioStreamBasicDescription: Hashable, Sendable {
  /// Samples a second.
  public var mSampleRate: Float64 = 0
  /// The kind of sound.
  public var mFormatID: AudioFormatID = 0
  /// How they lie.
  public var mFormatFlags: AudioFormatFlags = 0
  /// Bytes of a packet.
  public var mBytesPerPacket: UInt32 = 0
  /// Samples of each channel in a packet.
  public var mFramesPerPacket: UInt32 = 0
  /// Bytes of a sample of all channels.
  public var mBytesPerFrame: UInt32 = 0
  /// Channels.
  public var mChannelsPerFrame: UInt32 = 0
  /// Bits of a sample.
  public var mBitsPerChannel: UInt32 = 0
  /// Nothing.
  public var mReserved: UInt32 = 0
  /// Nothing is said yet.
  public init() {}
}

/// Which unit is looked for.
public struct AudioComponentDescription: Hashable, Sendable {
  /// Its type.
  public var componentType: UInt32 = 0
  /// Its kind.
  public var componentSubType: UInt32 = 0
  /// Who made it.
  public var componentManufacturer: UInt32 = 0
  /// Bits.
  public var componentFlags: UInt32 = 0
  /// Which bits count.
  public var componentFlagsMask: UInt32 = 0
  /// Nothing is said yet.
  public init() {}
}

/// Samples in memory.
public struct AudioBuffer {
  /// Channels.
  public var mNumberChannels: UInt32
  /// Bytes.
  public var mDataByteSize: UInt32
  /// Where they are.
  public var mData: UnsafeMutableRawPointer?
  /// Samples in memory.
  public init(mNumberChannels: UInt32 = 0, mDataByteSize: UInt32 = 0, mData: UnsafeMutableRawPointer? = nil) {
    (self.mNumberChannels, self.mDataByteSize, self.mData) = (mNumberChannels, mDataByteSize, mData)
  }
}

/// Several of them; here one.
public struct AudioBufferList {
  /// How many there are.
  public var mNumberBuffers: UInt32
  /// The first.
  public var mBuffers: AudioBuffer
  /// A list of one.
  public init(mNumberBuffers: UInt32 = 1, mBuffers: AudioBuffer = AudioBuffer()) {
    (self.mNumberBuffers, self.mBuffers) = (mNumberBuffers, mBuffers)
  }
}

/// When samples are captured or played.
public struct AudioTimeStamp: Hashable, Sendable {
  /// Samples since the unit was started.
  public var mSampleTime: Float64 = 0
  /// Nanoseconds of this machine's clock.
  public var mHostTime: UInt64 = 0
  /// The beginning.
  public init() {}
}

/// What a callback says of the samples.
public struct AudioUnitRenderActionFlags: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt32
  /// Flags by their bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// They are silence.
  public static let unitRenderAction_OutputIsSilence = AudioUnitRenderActionFlags(rawValue: 16)
}

/// Gives or takes samples: the app's object, flags, the time, the bus, how many samples of each channel, and where they are.
public typealias AURenderCallback = (
  UnsafeMutableRawPointer, UnsafeMutablePointer<AudioUnitRenderActionFlags>, UnsafePointer<AudioTimeStamp>, UInt32,
  UInt32, UnsafeMutablePointer<AudioBufferList>?
) -> OSStatus

/// A callback and the app's object.
public struct AURenderCallbackStruct {
  /// The callback.
  public var inputProc: AURenderCallback?
  /// The app's object.
  public var inputProcRefCon: UnsafeMutableRawPointer?
  /// A callback and the app's object.
  public init(inputProc: AURenderCallback? = nil, inputProcRefCon: UnsafeMutableRawPointer? = nil) {
    (self.inputProc, self.inputProcRefCon) = (inputProc, inputProcRefCon)
  }
}
#endif
