package hashlanes.spark

import scala.collection.mutable

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.types.StringType

/** A projection that hashes many rows at a time. */
case class HashlanesProjectExec(projectList: Seq[NamedExpression], child: SparkPlan)
    extends UnaryExecNode
    with PartitioningPreservingUnaryExecNode
    with OrderPreservingUnaryExecNode {

  override def output: Seq[Attribute] = projectList.map(_.toAttribute)

  override protected def outputExpressions: Seq[NamedExpression] = projectList

  override protected def orderingExpressions: Seq[SortOrder] = child.outputOrdering

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"))

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = longMetric("numOutputRows")
    val plan = HashPlan(projectList, child.output)
    child.execute().mapPartitionsWithIndex { (index, input) =>
      new HashedRows(plan, index, input, rows)
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)
}

/** What the tasks of a projection do.
  *
  * @param hashes
  *   the different hashes
  * @param passed
  *   the columns of the input that the output needs as they are
  * @param output
  *   the output, of the columns that are passed and the digests
  */
case class HashPlan(
    input: Seq[Attribute],
    hashes: Seq[Hash],
    passed: Seq[Attribute],
    digests: Seq[Attribute],
    output: Seq[Expression]) {

  /** Whether the output is the digests, in their order. */
  def isOnlyDigests: Boolean =
    output.length == digests.length && output.zip(digests).forall {
      case (Alias(value, _), digest) => value.semanticEquals(digest)
      case _ => false
    }
}

object HashPlan {
  def apply(list: Seq[NamedExpression], input: Seq[Attribute]): HashPlan = {
    val found = mutable.LinkedHashMap[Expression, Expression]()
    list.flatMap(Hash.all).foreach(hash => found.getOrElseUpdate(hash.canonicalized, hash))
    val places = found.toSeq.map { case (key, hash) =>
      (key, Hash.of(hash).get, AttributeReference("digest", StringType)())
    }
    val attributes = places.map { case (key, _, attribute) => key -> attribute }.toMap
    val output = list.map { expression =>
      val wanted = Hash.all(expression)
      expression.transformDown {
        case hash if wanted.exists(_ eq hash) => attributes(hash.canonicalized)
      }
    }
    val references = AttributeSet(output.flatMap(_.references))
    HashPlan(
      input,
      places.map(_._2),
      input.filter(references.contains),
      places.map(_._3),
      output)
  }
}
