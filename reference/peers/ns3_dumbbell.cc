// Dumbbell workloads W1, W2, W3 for ns-3 3.37: NewReno with SACK.
//
// build: g++ -O3 -std=c++17 -DNS3_BUILD_PROFILE_RELEASE ns3_dumbbell.cc -o ns3_dumbbell
//            -lns3-core -lns3-network -lns3-internet -lns3-point-to-point -lns3-applications -lns3-traffic-control
// usage: ns3_dumbbell --workload=W1|W2|W3 --queue=droptail|red --seed=S
//   seed 0: flow i starts at exactly gap*i; s > 0: at gap*i + U(0, gap) from run number s
// Prints one JSON object. README.md defines the fields.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

struct Workload
{
    uint32_t flows;
    const char* rate;
    const char* access;
    uint32_t limit;
    double seconds, gap, rttMin, rttMax;
};

const std::map<std::string, Workload> kWorkloads = {
    {"W1", {10, "10Mbps", "100Mbps", 50, 100, 0.1, 0.04, 0.1}},
    {"W2", {4, "1Gbps", "10Gbps", 12500, 100, 0.5, 0.1, 0.1}},
    {"W3", {100, "100Mbps", "1Gbps", 1000, 60, 0.05, 0.04, 0.1}},
};
const char* const kUnlimited = "1000000p";
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
    void DroppedItem(Ptr<const QueueDiscItem>) { ++drops; }
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
        if (packet->GetSize() == 0)
        {
            return;
        }
        const SequenceNumber32 end = header.GetSequenceNumber() + packet->GetSize();
        if (end <= highest)
        {
            ++meter.retransmitted;
        }
        else
        {
            highest = end;
        }
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
SetTcpDefaults(uint32_t buffer)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kSegment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
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
    std::string name = "W1";
    std::string queue = "droptail";
    uint32_t seed = 0;
    CommandLine command;
    command.AddValue("workload", "W1, W2 or W3", name);
    command.AddValue("queue", "droptail or red", queue);
    command.AddValue("seed", "0: exact starts; otherwise the run number", seed);
    command.Parse(argc, argv);
    const Workload w = kWorkloads.at(name);
    const bool red = queue == "red";
    if (!red && queue != "droptail")
    {
        throw std::invalid_argument("queue");
    }
    RngSeedManager::SetRun(seed);
    SetTcpDefaults(name == "W2" ? 200000000 : 8000000);

    Ptr<Node> left = CreateObject<Node>();
    Ptr<Node> right = CreateObject<Node>();
    NodeContainer sources(w.flows);
    NodeContainer targets(w.flows);
    InternetStackHelper().InstallAll();

    // The bottleneck. With RED the queue is in the queue disc and the device holds one packet.
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(w.rate));
    link.SetChannelAttribute("Delay", StringValue("10ms"));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue(kUnlimited));
    NetDeviceContainer bottleneck = link.Install(left, right);
    Ptr<PointToPointNetDevice> device = DynamicCast<PointToPointNetDevice>(bottleneck.Get(0));
    device->GetQueue()->SetMaxSize(QueueSize(red ? "1p" : std::to_string(w.limit) + "p"));
    TrafficControlHelper control;
    Ptr<QueueDisc> disc;
    if (red)
    {
        control.SetRootQueueDisc("ns3::RedQueueDisc",
                                 "MinTh", DoubleValue(100), "MaxTh", DoubleValue(300),
                                 "QW", DoubleValue(0.002), "LInterm", DoubleValue(10),
                                 "Gentle", BooleanValue(true), "UseEcn", BooleanValue(false),
                                 "MeanPktSize", UintegerValue(1000),
                                 "MaxSize", StringValue(std::to_string(w.limit) + "p"),
                                 "LinkBandwidth", StringValue(w.rate),
                                 "LinkDelay", StringValue("10ms"));
        disc = control.Install(bottleneck.Get(0)).Get(0);
    }
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    Ipv4InterfaceContainer middle = addresses.Assign(bottleneck);
    control.Uninstall(red ? NetDeviceContainer(bottleneck.Get(1)) : bottleneck);
    SetDefaultRoute(left, middle.GetAddress(1));
    SetDefaultRoute(right, middle.GetAddress(0));

    link.SetDeviceAttribute("DataRate", StringValue(w.access));
    auto attach = [&](Ptr<Node> host, Ptr<Node> router, Time delay) {
        link.SetChannelAttribute("Delay", TimeValue(delay));
        NetDeviceContainer devices = link.Install(host, router);
        addresses.NewNetwork();
        Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
        control.Uninstall(devices);
        SetDefaultRoute(host, interfaces.GetAddress(1));
        return interfaces.GetAddress(0);
    };

    Ptr<UniformRandomVariable> uniform = CreateObject<UniformRandomVariable>();
    std::vector<Ptr<PacketSink>> sinks;
    std::vector<Sender> senders(w.flows);
    std::string starts;
    for (uint32_t i = 0; i < w.flows; ++i)
    {
        const double rtt = w.rttMin + (w.rttMax - w.rttMin) * i / (w.flows - 1);
        attach(sources.Get(i), left, Seconds(rtt / 2 - 0.011));
        const Ipv4Address address = attach(targets.Get(i), right, MilliSeconds(1));
        const uint16_t port = 5000;

        PacketSinkHelper receive("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        ApplicationContainer receiver = receive.Install(targets.Get(i));
        receiver.Start(Seconds(0));
        sinks.push_back(DynamicCast<PacketSink>(receiver.Get(0)));

        double start = w.gap * (i + (seed > 0 ? uniform->GetValue() : 0.0));
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
    if (red)
    {
        disc->TraceConnectWithoutContext("Drop", MakeCallback(&Meter::DroppedItem, &meter));
        disc->TraceConnectWithoutContext("PacketsInQueue", MakeCallback(&Meter::QueueLength, &meter));
    }
    else
    {
        left->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext("TcDrop", MakeCallback(&Meter::Dropped, &meter));
        device->GetQueue()->TraceConnectWithoutContext("Drop", MakeCallback(&Meter::Dropped, &meter));
        device->GetQueue()->TraceConnectWithoutContext("PacketsInQueue", MakeCallback(&Meter::QueueLength, &meter));
    }

    Simulator::Stop(Seconds(w.seconds));
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
    std::printf("{\"simulator\": \"ns-3\", \"version\": \"3.37\", \"workload\": \"%s\", \"control\": \"newreno-sack\", "
                "\"queue\": \"%s\", \"queue_limit\": %u, \"seed\": %u, \"seconds\": %g, \"delivered\": %lu, \"drops\": %lu, "
                "\"mean_queue\": %.3f, \"retransmitted\": %lu, \"timeouts\": %lu, \"acked\": %.0f, \"jain\": %.5f, "
                "\"flow_packets\": [%s], \"starts\": [%s]}\n",
                name.c_str(), queue.c_str(), w.limit, seed, w.seconds, meter.delivered, meter.drops,
                meter.area / w.seconds, meter.retransmitted, meter.timeouts, sum, sum * sum / (w.flows * squares),
                packets.c_str(), starts.c_str());
    Simulator::Destroy();
}
