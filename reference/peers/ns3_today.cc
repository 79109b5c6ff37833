// One or two flows of CUBIC or BBR through a dumbbell with a large product, for ns-3 3.44.
//
// build: collect.py; ns-3 is the wheel `ns3` 3.44 of PyPI, which has the headers and libraries.
// usage: ns3_today --control=cubic|bbr --flows=1|2 --seed=S
//   seed 0: flow i starts at exactly 0.5 i seconds; s > 0: at 0.5 (i + U(0, 1)) from run number s
// CUBIC has no HyStart; everything else of it and of BBR is ns-3's default. With a full queue the round trip is 0.2 s, so that the
// least timeout is longer.
// Prints one JSON object. README.md defines the fields.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const char* const kRate = "20Mbps";
const char* const kAccess = "1Gbps";
const char* const kUnlimited = "1000000p";
const uint32_t kLimit = 250; // one product: 20 Mbit/s * 100 ms in packets of 1000 bytes
const double kSeconds = 100;
const double kRtt = 0.1;
const double kGap = 0.5;
const uint32_t kSegment = 958; // + 40 bytes of TCP and IP header + 2 of PPP = 1000 bytes on the wire

// Counters of the bottleneck queue and of the senders.
struct Meter
{
    uint64_t delivered = 0, drops = 0, retransmitted = 0, timeouts = 0;
    double area = 0, since = 0;
    uint32_t length = 0;

    void QueueLength(uint32_t, uint32_t now)
    {
        const double t = Simulator::Now().GetSeconds();
        area += length * (t - since);
        since = t;
        length = now;
    }
    void Delivered(Ptr<const Packet>) { ++delivered; }
    void Dropped(Ptr<const Packet>) { ++drops; }
    void CongestionState(TcpSocketState::TcpCongState_t before, TcpSocketState::TcpCongState_t after)
    {
        timeouts += after == TcpSocketState::CA_LOSS && before != TcpSocketState::CA_LOSS;
    }
} meter;

// Sees every segment one flow sends.
struct Sender
{
    SequenceNumber32 highest{0};

    void Sent(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        const SequenceNumber32 end = header.GetSequenceNumber() + packet->GetSize();
        meter.retransmitted += packet->GetSize() > 0 && end <= highest;
        highest = std::max(highest, end);
    }
};

void
Watch(Ptr<BulkSendApplication> application, Sender* sender)
{
    Ptr<Socket> socket = application->GetSocket();
    socket->TraceConnectWithoutContext("Tx", MakeCallback(&Sender::Sent, sender));
    socket->TraceConnectWithoutContext("CongState", MakeCallback(&Meter::CongestionState, &meter));
}

void
SetTcpDefaults(const std::string& control)
{
    const TypeId type = control == "bbr" ? TcpBbr::GetTypeId() : TcpCubic::GetTypeId();
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(type));
    Config::SetDefault("ns3::TcpCubic::HyStart", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kSegment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(50000000));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(50000000));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
}

void
SetDefaultRoute(Ptr<Node> node, Ipv4Address gateway)
{
    Ipv4StaticRoutingHelper helper;
    helper.GetStaticRouting(node->GetObject<Ipv4>())->SetDefaultRoute(gateway, 1);
}

} // namespace

int
main(int argc, char** argv)
{
    std::string control = "cubic";
    uint32_t flows = 1;
    uint32_t seed = 0;
    CommandLine command;
    command.AddValue("control", "cubic or bbr", control);
    command.AddValue("flows", "1 or 2", flows);
    command.AddValue("seed", "0: exact starts; otherwise the run number", seed);
    command.Parse(argc, argv);
    RngSeedManager::SetRun(seed);
    SetTcpDefaults(control);

    Ptr<Node> left = CreateObject<Node>();
    Ptr<Node> right = CreateObject<Node>();
    NodeContainer sources(flows);
    NodeContainer targets(flows);
    InternetStackHelper().InstallAll();

    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(kRate));
    link.SetChannelAttribute("Delay", StringValue("10ms"));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue(kUnlimited));
    NetDeviceContainer bottleneck = link.Install(left, right);
    Ptr<PointToPointNetDevice> device = DynamicCast<PointToPointNetDevice>(bottleneck.Get(0));
    device->GetQueue()->SetMaxSize(QueueSize(std::to_string(kLimit) + "p"));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    Ipv4InterfaceContainer middle = addresses.Assign(bottleneck);
    TrafficControlHelper().Uninstall(bottleneck);
    SetDefaultRoute(left, middle.GetAddress(1));
    SetDefaultRoute(right, middle.GetAddress(0));

    link.SetDeviceAttribute("DataRate", StringValue(kAccess));
    auto attach = [&](Ptr<Node> host, Ptr<Node> router, Time delay) {
        link.SetChannelAttribute("Delay", TimeValue(delay));
        NetDeviceContainer devices = link.Install(host, router);
        addresses.NewNetwork();
        Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
        TrafficControlHelper().Uninstall(devices);
        SetDefaultRoute(host, interfaces.GetAddress(1));
        return interfaces.GetAddress(0);
    };

    Ptr<UniformRandomVariable> uniform = CreateObject<UniformRandomVariable>();
    std::vector<Ptr<PacketSink>> sinks;
    std::vector<Sender> senders(flows);
    std::string starts;
    for (uint32_t i = 0; i < flows; ++i)
    {
        attach(sources.Get(i), left, Seconds(kRtt / 2 - 0.011));
        const Ipv4Address address = attach(targets.Get(i), right, MilliSeconds(1));
        const uint16_t port = 5000;
        PacketSinkHelper receive("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        ApplicationContainer receiver = receive.Install(targets.Get(i));
        receiver.Start(Seconds(0));
        sinks.push_back(DynamicCast<PacketSink>(receiver.Get(0)));

        double start = kGap * (i + (seed > 0 ? uniform->GetValue() : 0.0));
        start = std::round(start * 1e6) / 1e6;
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(address, port));
        bulk.SetAttribute("SendSize", UintegerValue(10 * kSegment));
        ApplicationContainer application = bulk.Install(sources.Get(i));
        application.Start(Seconds(start));
        Simulator::Schedule(Seconds(start) + MicroSeconds(1), &Watch,
                            DynamicCast<BulkSendApplication>(application.Get(0)), &senders[i]);
        starts += (i ? ", " : "") + std::to_string(start);
    }

    device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Meter::Delivered, &meter));
    left->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext("TcDrop", MakeCallback(&Meter::Dropped, &meter));
    device->GetQueue()->TraceConnectWithoutContext("Drop", MakeCallback(&Meter::Dropped, &meter));
    device->GetQueue()->TraceConnectWithoutContext("PacketsInQueue", MakeCallback(&Meter::QueueLength, &meter));

    Simulator::Stop(Seconds(kSeconds));
    Simulator::Run();
    meter.QueueLength(0, 0);

    std::string packets;
    double sum = 0;
    double squares = 0;
    for (const auto& sink : sinks)
    {
        const uint64_t received = sink->GetTotalRx() / kSegment;
        packets += (packets.empty() ? "" : ", ") + std::to_string(received);
        sum += received;
        squares += double(received) * received;
    }
    std::printf("{\"simulator\": \"ns-3\", \"version\": \"3.44\", \"workload\": \"today-%u\", \"control\": \"%s\", "
                "\"queue\": \"droptail\", \"queue_limit\": %u, \"seed\": %u, \"seconds\": %g, \"delivered\": %lu, "
                "\"drops\": %lu, \"mean_queue\": %.3f, \"retransmitted\": %lu, \"timeouts\": %lu, "
                "\"acked\": %.0f, \"jain\": %.5f, \"flow_packets\": [%s], \"starts\": [%s]}\n",
                flows, control.c_str(), kLimit, seed, kSeconds, meter.delivered, meter.drops, meter.area / kSeconds,
                meter.retransmitted, meter.timeouts, sum, sum * sum / (flows * squares), packets.c_str(), starts.c_str());
    Simulator::Destroy();
}
